/** Button with one act, and a menu of related acts behind an arrow. */
import * as l10n from '@vscode/l10n';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../controls/icons';

export interface Act {
  label: string;
  /** Patterns that the act applies to, shown as code. */
  detail?: string | undefined;
  run: () => void;
}

interface Props {
  act: Act;
  /** Related acts; the button has no arrow without any. */
  more: readonly Act[];
  isSecondary?: boolean;
}

/** Keys that move the focus in the menu, each with the index of the next act. */
const STEPS: Record<string, (at: number, count: number) => number> = {
  ArrowDown: (at, count) => (at + 1) % count,
  ArrowUp: (at, count) => (at - 1 + count) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

export function SplitButton({ act, more, isSecondary = false }: Props) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLSpanElement>(null);
  const kind = isSecondary ? 'secondary' : 'primary';
  const items = () => [...(root.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
  useLayoutEffect(() => {
    if (isOpen) {
      items()[0]?.focus();
    }
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    root.current?.querySelector<HTMLElement>('.split-more')?.focus();
  };
  const pressed = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (isOpen && event.key === 'Escape') {
      event.preventDefault();
      event.stopPropagation();
      close();
    } else if (isOpen && step) {
      event.preventDefault();
      const all = items();
      all[step(all.indexOf(document.activeElement as HTMLElement), all.length)]?.focus();
    } else if (!isOpen && step && (event.target as HTMLElement).matches('.split-more')) {
      event.preventDefault();
      setOpen(true);
    }
  };
  const left = (event: FocusEvent) => {
    if (!root.current?.contains(event.relatedTarget as Node | null)) {
      setOpen(false);
    }
  };
  return (
    <span class={`split ${kind}`} ref={root} onKeyDown={pressed} onFocusOut={left}>
      <button type="button" class={kind} onClick={act.run}>
        {act.label}
      </button>
      {more.length > 0 && (
        <button
          type="button"
          class={`split-more ${kind}`}
          aria-haspopup="menu"
          aria-expanded={isOpen}
          aria-label={l10n.t('More: {0}', act.label)}
          title={l10n.t('More: {0}', act.label)}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="chevron" />
        </button>
      )}
      {isOpen && <Acts label={act.label} acts={more} onRun={() => setOpen(false)} />}
    </span>
  );
}

function Acts({ label, acts, onRun }: { label: string; acts: readonly Act[]; onRun: () => void }) {
  return (
    <ul class="split-menu" role="menu" aria-label={label}>
      {acts.map((act) => (
        <li key={`${act.label} ${act.detail ?? ''}`} role="none">
          <button
            type="button"
            role="menuitem"
            tabIndex={-1}
            onClick={() => {
              onRun();
              act.run();
            }}
          >
            <span>{act.label}</span>
            {act.detail !== undefined && <code>{act.detail}</code>}
          </button>
        </li>
      ))}
    </ul>
  );
}
