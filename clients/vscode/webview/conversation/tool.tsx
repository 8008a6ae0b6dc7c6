/** Tool call as a card: the action on one line, and the result on demand, live while the tool runs. */
import * as l10n from '@vscode/l10n';
import { useEffect, useState } from 'preact/hooks';
import { type ChangedFileState, type ChangeState, rejectedHunks } from '../../src/chat/changes';
import { lineCount } from '../../src/ui/counts';
import type { ToolPart } from '../../src/wire';
import { Icon, type IconName } from '../controls/icons';
import { post } from '../state/host';
import { lastName } from '../state/names';
import type { Store } from '../state/store';
import { Diff } from './diff';
import { Feedback } from './feedback';
import { RejectedHunks } from './rejected_hunks';
import { Subagent } from './subagent';
import { conflictsOf, type Shown, saidOf, shownTool } from './tool_text';

export const TOOL_ICONS: Record<string, IconName> = {
  bash: 'terminal',
  edit: 'edit',
  multiedit: 'edit',
  write: 'edit',
  apply_patch: 'edit',
  remember: 'edit',
  read: 'file',
  list: 'list',
  glob: 'search',
  grep: 'search',
  codesearch: 'search',
  webfetch: 'globe',
  websearch: 'globe',
  task: 'people',
  todowrite: 'list',
  todoread: 'list',
};

interface Props {
  store: Store;
  part: ToolPart;
  change: ChangeState | undefined;
  /** True while the call waits for the user's answer. */
  isWaiting: boolean;
  isOpen: boolean | undefined;
  onToggle: (isOpen: boolean) => void;
}

export function ToolCard({ store, part, change, isWaiting, isOpen, onToggle }: Props) {
  const { state } = part;
  const shown = shownTool(part);
  const words = saidOf(part);
  const isLive = state.status === 'running' && (part.tool === 'bash' || part.tool === 'task');
  const open = isOpen ?? (isLive && !isWaiting);
  return (
    <section
      class={`tool ${shown.isRecovered ? 'recovered' : state.status}`}
      aria-label={`${part.tool}: ${shown.title}`}
    >
      <button type="button" class="tool-head" aria-expanded={open} onClick={() => onToggle(!open)}>
        <span class={open ? 'twisty open' : 'twisty'}>
          <Icon name="chevron" />
        </span>
        <Icon name={TOOL_ICONS[part.tool] ?? 'tool'} />
        <span class="tool-name">{part.tool}</span>
        <span class="tool-title">{shown.title}</span>
        {change && <Counts files={change.files.filter((file) => file.state !== 'dropped')} />}
        {change && <RejectedCount files={change.files} />}
        <State part={part} isWaiting={isWaiting} sandbox={shown.sandbox} exit={shown.exit} />
      </button>
      {shown.error !== '' && <p class={shown.isRecovered ? 'tool-error recovered' : 'tool-error'}>{shown.error}</p>}
      {conflictsOf(part).map((uri) => (
        <p class="tool-error" key={uri}>
          {l10n.t('{0} stays as you have it: you changed the same lines. The agent is told.', lastName(uri))}
        </p>
      ))}
      {words.length > 0 && <Feedback words={words} />}
      {open && <Body store={store} part={part} change={change} shown={shown} />}
    </section>
  );
}

function Body({ store, part, change, shown }: Pick<Props, 'store' | 'part' | 'change'> & { shown: Shown }) {
  return (
    <div class="tool-body">
      {shown.command !== '' && <pre class="command">{shown.command}</pre>}
      {part.tool === 'task' && <Subagent store={store} part={part} />}
      {change?.files.map((file) => (
        <FileChange key={file.uri} store={store} change={change} file={file} />
      ))}
      {shown.output !== '' && (
        <pre class="output" tabIndex={0} role="group" aria-label={l10n.t('Output')}>
          {shown.output}
        </pre>
      )}
      {shown.more !== '' && (
        <button
          type="button"
          class="quiet"
          onClick={() => post({ type: 'openText', language: 'text', text: shown.more })}
        >
          {l10n.t('Open Full Output')}
        </button>
      )}
    </div>
  );
}

function FileChange({ store, change, file }: { store: Store; change: ChangeState; file: ChangedFileState }) {
  const name = file.newUri === undefined ? lastName(file.uri) : `${lastName(file.uri)} → ${lastName(file.newUri)}`;
  const sessionId = store.conversation?.info.id ?? '';
  return (
    <div class="file-change">
      <div class="file-head">
        <span class="file-name">{name}</span>
        {file.state !== 'dropped' && <Counts files={[file]} />}
        {file.edited && <span class="hint">{l10n.t('edited by you')}</span>}
        {file.state !== 'dropped' && (
          <button
            type="button"
            class="quiet"
            aria-label={l10n.t('Open Diff of {0}', name)}
            onClick={() => post({ type: 'openChange', sessionId, changeId: change.id, uri: file.uri })}
          >
            {l10n.t('Open Diff')}
          </button>
        )}
      </div>
      {file.diff !== undefined && file.diff !== '' && <Diff text={file.diff} />}
      <RejectedHunks file={file} />
    </div>
  );
}

function RejectedCount({ files }: { files: readonly ChangedFileState[] }) {
  const count = files.flatMap(rejectedHunks).length;
  return count === 0 ? null : <span class="hint">{l10n.t('{0} rejected', count)}</span>;
}

/** Numbers of added and deleted lines, where known. */
export function Counts({ files }: { files: readonly ChangedFileState[] }) {
  const counted = files.filter((file) => file.additions !== undefined);
  if (counted.length === 0) {
    return null;
  }
  const added = counted.reduce((sum, file) => sum + (file.additions ?? 0), 0);
  const deleted = counted.reduce((sum, file) => sum + (file.deletions ?? 0), 0);
  return (
    <span class="counts">
      <span class="added" aria-hidden="true">
        +{added}
      </span>
      <span class="deleted" aria-hidden="true">
        −{deleted}
      </span>
      <span class="unseen">{l10n.t('{0} added, {1} deleted', lineCount(added), deleted)}</span>
    </span>
  );
}

const STATES = {
  pending: l10n.t('writing'),
  running: l10n.t('running'),
  completed: l10n.t('done'),
  error: l10n.t('failed'),
} as const;

interface StateProps {
  part: ToolPart;
  isWaiting: boolean;
  sandbox: string;
  exit: string;
}

function State({ part, isWaiting, sandbox, exit }: StateProps) {
  const { status } = part.state;
  const seconds = useSeconds(part);
  return (
    <span class="tool-state">
      {sandbox !== '' && <span class="hint">{sandbox}</span>}
      {exit !== '' && <span class="hint">{exit}</span>}
      {seconds >= 1 && !isWaiting && <span class="seconds">{l10n.t('{0} s', seconds)}</span>}
      {isWaiting ? (
        <Icon name="waiting" />
      ) : status === 'completed' ? (
        <Icon name="check" />
      ) : status === 'error' ? (
        <Icon name="close" />
      ) : (
        <span class="spinner" />
      )}
      <span class="unseen">{isWaiting ? l10n.t('waiting for you') : STATES[status]}</span>
    </span>
  );
}

/** Returns the duration of the call so far, in seconds, without the time that the call waited for the user. */
function useSeconds(part: ToolPart): number {
  const [now, setNow] = useState(Date.now());
  const isRunning = part.state.status === 'running';
  useEffect(() => {
    const timer = isRunning ? setInterval(() => setNow(Date.now()), 1000) : undefined;
    return () => clearInterval(timer);
  }, [isRunning]);
  const { state } = part;
  if (state.status === 'pending') {
    return 0;
  }
  const { waited } = state.metadata;
  const end = state.status === 'running' ? Math.max(now, state.start) : state.end;
  return Math.max(0, Math.round((end - state.start - (typeof waited === 'number' ? waited : 0)) / 1000));
}
