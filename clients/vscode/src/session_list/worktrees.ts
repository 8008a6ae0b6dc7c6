/** Git worktrees in which sessions work apart: lines of the sessions' tree, and the commands on worktrees. */
import * as vscode from 'vscode';
import type { SessionNavigation } from '../chat/navigation';
import type { Agent } from '../daemon/agent';
import { discover } from '../daemon/discovery';
import { placetCommand } from '../sessions/links';
import { fileCount } from '../ui/counts';
import { ago } from '../ui/relative_time';
import { line, type Node } from '../ui/tree';
import { confirm, inform, input, pick, warn } from '../ui/window';
import type { WorktreeInfo, WorktreeSession } from '../wire';

/** Time after which the tree looks again while a session in a worktree works or waits: no event tells of its end. */
const LOOK_AGAIN_MILLISECONDS = 5000;

type Line = Pick<Node, 'subject'>;

export class Worktrees implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  /** Fires when the lines may differ. */
  readonly onDidChange = this.changed.event;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly agent: Agent,
    private readonly navigation: SessionNavigation,
  ) {}

  dispose(): void {
    clearTimeout(this.timer);
    this.changed.dispose();
  }

  /** Returns a line for each worktree, with the worktree's sessions below. */
  async nodes(): Promise<readonly Node[]> {
    const worktrees = await this.list();
    clearTimeout(this.timer);
    const isBusy = ({ sessions, subagent }: WorktreeInfo) =>
      subagent?.isAtWork || sessions?.some(({ state }) => state !== 'done');
    if (worktrees.some(isBusy)) {
      this.timer = setTimeout(() => this.changed.fire(), LOOK_AGAIN_MILLISECONDS);
    }
    return worktrees.map(worktreeNode);
  }

  /** Returns the commands by command id; a command takes the tree's line, or asks for the worktree. */
  get commands(): Record<string, (node?: Line) => unknown> {
    const of = (title: string, work: (worktree: WorktreeInfo) => unknown) => async (node?: Line) => {
      const worktree = (node?.subject as WorktreeInfo | undefined) ?? (await this.choose(title));
      return worktree && work(worktree);
    };
    return {
      'placet.worktrees.new': () => this.new(),
      'placet.worktrees.open': of(vscode.l10n.t('Open Worktree in New Window'), open),
      'placet.worktrees.bringBack': of(vscode.l10n.t('Bring Back Worktree'), (worktree) => this.bringBack(worktree)),
      'placet.worktrees.remove': of(vscode.l10n.t('Remove Worktree'), (worktree) => this.remove(worktree)),
    };
  }

  /** Makes a worktree of the name, and says whether it is to be set up. */
  async create(name: string, takesChanges: boolean): Promise<WorktreeInfo> {
    const options = { takesChanges, ...(name ? { name } : {}) };
    const { worktree, leftOut, hasSetup } = await this.agent.request('agent/worktree/create', options);
    this.changed.fire();
    if (leftOut?.length) {
      void warn(vscode.l10n.t('Not copied into the worktree: {0}', leftOut.join('; ')));
    }
    if (hasSetup) {
      // The terminal shows the whole command, and asks.
      await runInTerminal(worktree, ['worktree', 'setup', worktree.name]);
    }
    return worktree;
  }

  private async new(): Promise<void> {
    const title = vscode.l10n.t('New Session in Worktree');
    const choices = [
      { label: vscode.l10n.t('From the Last Commit'), takesChanges: false },
      { label: vscode.l10n.t('With Uncommitted Changes'), takesChanges: true },
    ];
    const choice = await pick(choices, { title });
    const prompt = vscode.l10n.t('Name of the worktree and of its branch; leave empty for the next free name');
    const name = choice && (await input({ title, prompt }));
    if (choice === undefined || name === undefined) {
      return;
    }
    const worktree = await this.create(name.trim(), choice.takesChanges);
    const action = vscode.l10n.t('Open in New Window');
    if ((await inform(vscode.l10n.t('The worktree “{0}” is ready.', worktree.name), action)) === action) {
      await open(worktree);
    }
  }

  private async bringBack(worktree: WorktreeInfo): Promise<void> {
    const { name } = worktree;
    const choices = [
      { label: vscode.l10n.t('Review Changes Here'), branch: false },
      { label: vscode.l10n.t('Commit on the Branch {0}', worktree.branch), branch: true },
    ];
    const choice = await pick(choices, { title: vscode.l10n.t('Bring Back Worktree') });
    if (choice?.branch) {
      const { branch } = await this.agent.request('agent/worktree/bringBack', { name, branch: true });
      void inform(vscode.l10n.t('The changes are committed on the branch {0}.', branch ?? worktree.branch));
    } else if (choice) {
      await this.review(name);
    }
  }

  /** Stages the changes of the worktree in a new session, and shows the session with its changes. */
  async review(name: string): Promise<void> {
    const brought = await this.agent.request('agent/worktree/bringBack', { name });
    this.changed.fire();
    const { session, conflicts = [], leftOut = [] } = brought;
    if (leftOut.length > 0) {
      void warn(vscode.l10n.t('Left out: {0}. Commit on the branch instead to keep everything.', leftOut.join('; ')));
    }
    if (!session) {
      void inform(vscode.l10n.t('“{0}” has no change that the present files lack.', name));
      return;
    }
    await this.navigation.openSession(session.id);
    await vscode.commands.executeCommand('placet.review');
    if (conflicts.length > 0) {
      void warn(
        vscode.l10n.t('{0} in conflict: settle the conflict in the proposed text.', fileCount(conflicts.length)),
      );
    }
  }

  private async remove({ name }: WorktreeInfo): Promise<void> {
    const worktree = (await this.list()).find((other) => other.name === name);
    if (!worktree) {
      this.changed.fire();
      return;
    }
    const isLoss = worktree.state === 'changed' || worktree.state === 'repository gone';
    const detail = isLoss
      ? vscode.l10n.t('Its changes were not brought back, and are lost: {0}.', fileCount(worktree.changedFiles))
      : vscode.l10n.t('The directory and the branch {0} are removed.', worktree.branch);
    const action = vscode.l10n.t('Remove');
    if (await confirm(vscode.l10n.t('Remove the worktree “{0}”?', name), detail, action)) {
      const { keptBranch } = await this.agent.request('agent/worktree/remove', { name, force: isLoss });
      this.changed.fire();
      if (keptBranch) {
        void inform(vscode.l10n.t('The branch {0} stays, as it has commits of its own.', keptBranch));
      }
    }
  }

  private async choose(title: string): Promise<WorktreeInfo | undefined> {
    const worktrees = await this.list();
    if (worktrees.length === 0) {
      void inform(vscode.l10n.t('There are no worktrees here.'));
      return undefined;
    }
    const items = worktrees.map((worktree) => ({
      label: worktree.name,
      description: stateOf(worktree),
      worktree,
    }));
    return (await pick(items, { title }))?.worktree;
  }

  private async list(): Promise<readonly WorktreeInfo[]> {
    return (await this.agent.request('agent/worktree/list', {})).worktrees;
  }
}

async function open({ uri }: WorktreeInfo): Promise<void> {
  const options = { forceNewWindow: true };
  await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.parse(uri), options);
}

async function runInTerminal(worktree: WorktreeInfo, words: readonly string[]): Promise<void> {
  const { candidate } = await discover();
  if (candidate) {
    const terminal = vscode.window.createTerminal({ name: 'Placet', cwd: vscode.Uri.parse(worktree.uri) });
    terminal.show();
    terminal.sendText(placetCommand(candidate.command, words));
  }
}

function stateOf({ state, changedFiles, isHere, subagent }: WorktreeInfo): string {
  const states: Record<WorktreeInfo['state'], string> = {
    unchanged: vscode.l10n.t('unchanged'),
    changed: vscode.l10n.t('{0} changed', fileCount(changedFiles)),
    'brought back': vscode.l10n.t('brought back'),
    'directory gone': vscode.l10n.t('directory missing'),
    'repository gone': vscode.l10n.t('repository missing'),
  };
  return [
    states[state],
    ...(subagent?.isAtWork ? [vscode.l10n.t('subagent {0}', subagent.agent)] : []),
    ...(subagent && !subagent.isAtWork ? [vscode.l10n.t('left by {0}', subagent.agent)] : []),
    ...(isHere ? [vscode.l10n.t('this window')] : []),
  ].join(' · ');
}

function worktreeNode(worktree: WorktreeInfo): Node {
  const state = stateOf(worktree);
  const spoken = vscode.l10n.t('Worktree {0}, {1}', worktree.name, state);
  const item = line(worktree.name, spoken, {
    id: `worktree ${worktree.uri}`,
    description: state,
    tooltip: `${worktree.branch}\n${vscode.Uri.parse(worktree.uri).fsPath}\nPLACET_PORT=${worktree.port}`,
    iconPath: new vscode.ThemeIcon('git-branch'),
    contextValue: worktree.isHere ? 'worktreeHere' : 'worktree',
    collapsibleState: worktree.sessions?.length
      ? vscode.TreeItemCollapsibleState.Expanded
      : vscode.TreeItemCollapsibleState.None,
  });
  return { item, subject: worktree, children: () => (worktree.sessions ?? []).map((of) => sessionNode(of, worktree)) };
}

function sessionNode({ session, state }: WorktreeSession, worktree: WorktreeInfo): Node {
  const words = {
    works: vscode.l10n.t('running'),
    waits: vscode.l10n.t('waiting for you'),
    done: vscode.l10n.t('done'),
  };
  const icons = { works: 'sync~spin', waits: 'bell-dot', done: 'pass' };
  const title = session.title || vscode.l10n.t('Untitled');
  const when = ago(session.updated, Date.now(), vscode.env.language);
  const states = [
    words[state],
    ...(session.toReview ? [vscode.l10n.t('{0} to review', fileCount(session.toReview))] : []),
  ];
  const item = line(title, [title, ...states, when].join(', '), {
    id: `worktree ${session.id}`,
    description: [when, ...states].join(' · '),
    iconPath: new vscode.ThemeIcon(icons[state]),
    contextValue: 'worktreeSession',
  });
  item.command = worktree.isHere
    ? { command: 'placet.openSession', title: vscode.l10n.t('Open'), arguments: [session.id] }
    : {
        command: 'placet.worktrees.open',
        title: vscode.l10n.t('Open Worktree in New Window'),
        arguments: [{ subject: worktree }],
      };
  return { item, subject: worktree };
}
