/** Tree of the sessions of these folders, the last used session first, with the commands on each session. */
import * as vscode from 'vscode';
import type { SessionNavigation } from '../chat/navigation';
import type { Agent } from '../daemon/agent';
import type { Asks } from '../permissions/pending_requests';
import type { CurrentSession } from '../sessions/current';
import { fileCount } from '../ui/counts';
import { ago } from '../ui/relative_time';
import { line, type Node, type Tree } from '../ui/tree';
import { confirm, input, pick } from '../ui/window';
import type { SessionInfo } from '../wire';
import type { Worktrees } from './worktrees';

const MOST = 200;

export class SessionsTree implements Tree {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private query = '';

  constructor(
    private readonly agent: Agent,
    private readonly current: CurrentSession,
    private readonly asks: Asks,
    private readonly navigation: SessionNavigation,
    private readonly worktrees: Worktrees,
  ) {
    worktrees.onDidChange(() => this.changed.fire());
    current.onChange(() => this.changed.fire());
    asks.onChange(() => this.changed.fire());
    agent.onUpdate(({ update }) => {
      if (['turn_started', 'turn_ended', 'session_info_update', 'change_set_update'].includes(update.kind)) {
        this.changed.fire();
      }
    });
  }

  get description(): string | undefined {
    return this.query ? `“${this.query}”` : undefined;
  }

  async roots(): Promise<readonly Node[]> {
    const [{ sessions }, worktrees] = await Promise.all([
      this.agent.request('agent/session/list', { limit: MOST, query: this.query }),
      this.query ? [] : this.worktrees.nodes(),
    ]);
    return [...worktrees, ...sessions.map((session) => this.node(session))];
  }

  /** Returns the commands by command id; a command takes the tree's line, or asks for the session. */
  get commands(): Record<string, (node?: Pick<Node, 'subject'>) => unknown> {
    const of = (work: (session: SessionInfo) => unknown) => async (node?: Pick<Node, 'subject'>) => {
      const session = (node?.subject as SessionInfo | undefined) ?? (await this.choose());
      return session && work(session);
    };
    return {
      'placet.sessions.open': of(({ id }) => this.navigation.openSession(id)),
      'placet.sessions.rename': of((session) => this.rename(session)),
      'placet.sessions.fork': of((session) => this.fork(session)),
      'placet.sessions.delete': of((session) => this.delete(session)),
      'placet.sessions.export': of((session) => this.export(session)),
      'placet.sessions.search': () => this.search(),
      'placet.sessions.all': () => this.find(''),
      'placet.sessions.refresh': () => this.changed.fire(),
    };
  }

  private node(session: SessionInfo): Node {
    const isCurrent = session.id === this.current.id;
    const isWaiting = this.asks.waiting.some(({ request }) => request.sessionId === session.id);
    const isRunning = this.agent.status.running.includes(session.id) && !isWaiting;
    const when = ago(session.updated, Date.now(), vscode.env.language);
    const title = session.title || vscode.l10n.t('Untitled');
    const states = [
      ...(isCurrent ? [vscode.l10n.t('open')] : []),
      ...(isRunning ? [vscode.l10n.t('running')] : []),
      ...(isWaiting ? [vscode.l10n.t('waiting for you')] : []),
      ...(session.forkedFrom ? [vscode.l10n.t('fork')] : []),
      ...(session.toReview ? [vscode.l10n.t('{0} to review', fileCount(session.toReview))] : []),
    ];
    const cost = session.usage?.cost ? ` · $${session.usage.cost.toFixed(2)}` : '';
    const item = line(title, [title, ...states, when].join(', '), {
      id: session.id,
      description: [when, ...states].join(' · '),
      tooltip: `${title}\n${session.agent} · ${session.model}${cost}\n${new Date(session.updated).toLocaleString(vscode.env.language)}`,
      iconPath: new vscode.ThemeIcon(iconOf(isWaiting, isRunning, isCurrent)),
      contextValue: 'session',
    });
    item.command = { command: 'placet.sessions.open', title: vscode.l10n.t('Open'), arguments: [{ subject: session }] };
    return { item, subject: session };
  }

  private async choose(): Promise<SessionInfo | undefined> {
    const { sessions } = await this.agent.request('agent/session/list', { limit: MOST });
    const items = sessions.map((session) => ({
      label: session.title || vscode.l10n.t('Untitled'),
      description: ago(session.updated, Date.now(), vscode.env.language),
      session,
    }));
    return (await pick(items, { title: vscode.l10n.t('Select Session') }))?.session;
  }

  private async rename({ id, title: value }: SessionInfo): Promise<void> {
    const title = await input({ title: vscode.l10n.t('Rename Session'), value });
    if (title) {
      await this.agent.request('agent/session/rename', { sessionId: id, title });
      this.changed.fire();
    }
  }

  private async fork({ id }: SessionInfo): Promise<void> {
    const { id: fork } = await this.agent.request('agent/session/fork', { sessionId: id });
    await this.navigation.openSession(fork);
    this.changed.fire();
  }

  private async delete({ id, title }: SessionInfo): Promise<void> {
    const action = vscode.l10n.t('Delete');
    const detail = vscode.l10n.t('Changes to files stay, and can no longer be undone.');
    const question = vscode.l10n.t('Permanently delete the session “{0}”?', title);
    if (await confirm(question, detail, action)) {
      await this.agent.request('agent/session/delete', { sessionId: id });
      if (this.current.id === id) {
        this.current.set(null);
      }
      this.changed.fire();
    }
  }

  private async export({ id }: SessionInfo): Promise<void> {
    const { text } = await this.agent.request('agent/session/export', { sessionId: id, format: 'markdown' });
    const document = await vscode.workspace.openTextDocument({ content: text, language: 'markdown' });
    await vscode.window.showTextDocument(document);
  }

  private async search(): Promise<void> {
    const prompt = vscode.l10n.t('Search in titles, prompts and answers; leave empty to show all sessions');
    const query = await input({
      title: vscode.l10n.t('Search Sessions'),
      prompt,
      value: this.query,
    });
    if (query !== undefined) {
      this.find(query);
    }
  }

  private find(query: string): void {
    this.query = query.trim();
    void vscode.commands.executeCommand('setContext', 'placet.sessionsFound', this.query !== '');
    this.changed.fire();
  }
}

function iconOf(isWaiting: boolean, isRunning: boolean, isCurrent: boolean): string {
  if (isWaiting) {
    return 'bell-dot';
  }
  return isRunning ? 'sync~spin' : isCurrent ? 'comment-discussion' : 'comment';
}
