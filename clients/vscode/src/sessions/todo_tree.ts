/** The current session's plan. */
import * as vscode from 'vscode';
import { line, type Node, type Tree } from '../ui/tree';
import type { PlanEntry } from '../wire';
import type { SessionView } from './session_view';

const ICONS: Record<PlanEntry['status'], string> = {
  pending: 'circle-large-outline',
  in_progress: 'play-circle',
  completed: 'pass',
  cancelled: 'circle-slash',
};

export function todoTree(session: SessionView): Tree {
  const words: Record<PlanEntry['status'], string> = {
    pending: vscode.l10n.t('to do'),
    in_progress: vscode.l10n.t('in progress'),
    completed: vscode.l10n.t('done'),
    cancelled: vscode.l10n.t('cancelled'),
  };
  const node = ({ content, status, priority }: PlanEntry): Node => ({
    item: line(content, `${content}, ${words[status]}`, {
      iconPath: new vscode.ThemeIcon(ICONS[status]),
      tooltip: `${words[status]}${priority === 'high' ? ` · ${vscode.l10n.t('high priority')}` : ''}`,
      ...(status === 'in_progress' ? { description: words.in_progress } : {}),
      contextValue: status,
    }),
  });
  return {
    onDidChange: session.onDidChange,
    roots: () => session.log.plan.map(node),
    get description() {
      const { plan } = session.log;
      const done = plan.filter(({ status }) => status === 'completed').length;
      return plan.length > 0 ? `${done}/${plan.length}` : undefined;
    },
  };
}
