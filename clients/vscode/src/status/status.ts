/** Text of the status bar. Pure. */
import * as l10n from '@vscode/l10n';
import type { Status } from '../daemon/agent';
import type { Spending } from '../sessions/costs';

export interface Shown {
  text: string;
  tooltip: string;
  command: string;
  isWarning: boolean;
}

/** Returns the content of the status bar. Only waiting requests have a colour. */
export function shown(status: Status, spending?: Spending): Shown {
  const state = stateOf(status);
  const lines = [state.tooltip, ...(spending ? spendingLines(spending) : [])];
  return { ...state, tooltip: lines.join('\n') };
}

function stateOf(status: Status): Shown {
  if (status.waiting > 0) {
    const tooltip =
      status.waiting === 1
        ? l10n.t('Placet is waiting for your answer')
        : l10n.t('{0} pending requests', status.waiting);
    return { text: `$(bell-dot) Placet: ${status.waiting}`, tooltip, command: 'placet.answer', isWarning: true };
  }
  const calm = { command: 'placet.open', isWarning: false };
  switch (status.state) {
    case 'failed':
      return { text: '$(warning) Placet', tooltip: status.problem ?? '', command: 'placet.doctor', isWarning: false };
    case 'starting':
      return { ...calm, text: '$(loading~spin) Placet', tooltip: l10n.t('Placet is starting') };
    case 'stopped':
      return {
        ...calm,
        text: '$(circle-slash) Placet',
        tooltip: l10n.t('Placet is not running, and starts on demand'),
      };
    case 'ready':
      return status.running.length > 0
        ? { ...calm, text: '$(loading~spin) Placet', tooltip: l10n.t('Placet is working') }
        : { ...calm, text: '$(check) Placet', tooltip: l10n.t('Placet {0} is ready', status.version ?? '') };
  }
}

const CENT = 0.01;

/** Returns the tokens of the context and the cost of the session, as lines. */
export function spendingLines({ cost, contextUsed, contextSize, isCovered }: Spending): string[] {
  const lines: string[] = [];
  if (contextUsed !== undefined) {
    const used = tokens(contextUsed);
    lines.push(
      contextSize
        ? l10n.t(
            'Context: {0} of {1} ({2} %)',
            used,
            tokens(contextSize),
            Math.round((100 * contextUsed) / contextSize),
          )
        : l10n.t('Context: {0}', used),
    );
  }
  const dollars = cost > 0 && cost < CENT ? `< $${CENT}` : `$${cost.toFixed(2)}`;
  lines.push(l10n.t('Session cost: {0}', cost === 0 && isCovered ? l10n.t('covered by the subscription') : dollars));
  return lines;
}

function tokens(count: number): string {
  return count < 1000 ? String(count) : `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`;
}
