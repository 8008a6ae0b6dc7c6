/** Comments of the user on hunks of the change set: sent with the decision on the hunk, or at once as a prompt. */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import { fenced } from '../ui/plain_text';
import type { StagedFile } from '../wire';
import type { ChangeSet } from './change_set';
import { diffOf, keyOf, type PlacedHunk, placedHunks } from './files';

/** Hunk that a thread is about; a thread without a hunk is about the whole file. */
interface Subject {
  uri: string;
  placed: PlacedHunk | undefined;
}

class Remark implements vscode.Comment {
  readonly mode = vscode.CommentMode.Preview;
  readonly author = { name: vscode.l10n.t('You') };
  readonly timestamp = new Date();
  readonly contextValue = 'kept';

  constructor(
    readonly body: string,
    readonly thread: vscode.CommentThread,
  ) {}
}

export class SetComments implements vscode.Disposable {
  private readonly controller = vscode.comments.createCommentController('placet.changeSet', 'Placet');
  private readonly threads = new Map<vscode.CommentThread, Subject>();
  private readonly watching: vscode.Disposable;

  constructor(
    private readonly agent: Agent,
    private readonly set: ChangeSet,
  ) {
    this.controller.options = {
      prompt: vscode.l10n.t('Add a comment for the agent'),
      placeHolder: vscode.l10n.t('What should change here?'),
    };
    this.watching = set.onDidChange(() => this.follow());
  }

  /** Opens a thread at a hunk or a file, in which the user can write. */
  begin(document: vscode.Uri, range: vscode.Range, file: StagedFile, placed: PlacedHunk | undefined): void {
    const existing = [...this.threads].find(
      ([thread, subject]) =>
        thread.uri.toString() === document.toString() && subject.uri === file.uri && isSame(subject.placed, placed),
    );
    const thread = existing?.[0] ?? this.controller.createCommentThread(document, range, []);
    thread.canReply = true;
    thread.label = vscode.l10n.t('Comment for the agent');
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    this.threads.set(thread, { uri: file.uri, placed });
  }

  /** Keeps a comment for the decision on the hunk. */
  keep({ thread, text }: vscode.CommentReply): void {
    if (text.trim() && this.threads.has(thread)) {
      thread.label = vscode.l10n.t('Pending; sent with your decision');
      thread.comments = [...thread.comments, new Remark(text.trim(), thread)];
    }
  }

  /** Sends a comment at once, as a prompt with the hunk; the prompt joins a running turn. */
  async sendNow({ thread, text }: vscode.CommentReply): Promise<void> {
    const subject = this.threads.get(thread);
    const sessionId = this.set.session.id;
    const body = [textOf(thread), text.trim()].filter(Boolean).join('\n\n');
    if (!subject || !sessionId || !body) {
      return;
    }
    this.drop(thread);
    const name = vscode.workspace.asRelativePath(vscode.Uri.parse(subject.uri, true));
    const hunk = subject.placed ? `\n\n${fenced(diffOf(subject.placed.hunk), 'diff')}` : '';
    const words = `My comment on your change to ${name}, which I have not decided yet:${hunk}\n\n${body}`;
    await this.agent.request('agent/prompt', {
      sessionId,
      parts: [{ type: 'text', text: words }],
      queue: 'steer',
    });
  }

  /** Removes a comment that is not sent yet. */
  remove(comment: vscode.Comment): void {
    if (comment instanceof Remark) {
      comment.thread.comments = comment.thread.comments.filter((other) => other !== comment);
      if (comment.thread.comments.length === 0) {
        this.drop(comment.thread);
      }
    }
  }

  /** Returns the comments for a decision on a hunk, or on the whole file. */
  of(file: StagedFile, key?: string): string {
    return this.threadsOf(file, key).map(textOf).filter(Boolean).join('\n\n');
  }

  /** Removes the threads of a decided hunk, or of a decided file. */
  end(file: StagedFile, key?: string): void {
    this.threadsOf(file, key).forEach((thread) => void this.drop(thread));
  }

  dispose(): void {
    this.watching.dispose();
    this.controller.dispose();
  }

  /** Returns the threads on the hunk, with the threads on hunks that the agent has changed since. */
  private threadsOf(file: StagedFile, key: string | undefined): vscode.CommentThread[] {
    const current = this.set.get(file.uri);
    const present = new Set(current && placedHunks(current).map(keyOf));
    return [...this.threads].flatMap(([thread, { uri, placed }]) => {
      const own = placed && keyOf(placed);
      const isOfDecision = key === undefined || own === key || own === undefined || !present.has(own);
      return uri === file.uri && isOfDecision ? [thread] : [];
    });
  }

  private follow(): void {
    for (const [thread, { uri }] of this.threads) {
      if (!this.set.get(uri)) {
        this.drop(thread);
      }
    }
  }

  private drop(thread: vscode.CommentThread): void {
    this.threads.delete(thread);
    thread.dispose();
  }
}

function isSame(placed: PlacedHunk | undefined, other: PlacedHunk | undefined): boolean {
  return placed === other || (placed !== undefined && other !== undefined && keyOf(placed) === keyOf(other));
}

function textOf(thread: vscode.CommentThread): string {
  return thread.comments.map(({ body }) => (typeof body === 'string' ? body : body.value)).join('\n\n');
}
