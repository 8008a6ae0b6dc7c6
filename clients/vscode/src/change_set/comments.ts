/**
 * Comments of the user on hunks of the change set: sent without a decision, for the next step of the model; sent with the
 * decision on the hunk; or sent at once as a prompt.
 */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import { fenced } from '../ui/plain_text';
import { inform } from '../ui/window';
import type { ChangeSet } from './change_set';
import { decisionOn, diffOf, hunkAt, keyOf, nameOf, type PlacedHunk, placedHunks, type SetFile } from './files';
import type { SeenFile } from './lenses';
import { rangeOf } from './marks';

/** Subject of a thread: a hunk, or the whole file. */
interface Subject {
  file: SetFile;
  placed: PlacedHunk | undefined;
}

const WHOLE_FILE = new vscode.Range(0, 0, 0, 0);

class Remark implements vscode.Comment {
  readonly mode = vscode.CommentMode.Preview;
  readonly author = { name: vscode.l10n.t('You') };
  readonly timestamp = new Date();

  constructor(
    readonly body: string,
    readonly thread: vscode.CommentThread,
    /** `kept` for the decision, or `sent` without a decision. */
    readonly contextValue: 'kept' | 'sent' = 'kept',
  ) {}
}

export class SetComments implements vscode.Disposable {
  private readonly controller = vscode.comments.createCommentController('placet.changeSet', 'Placet');
  private readonly threads = new Map<vscode.CommentThread, Subject>();
  private readonly watching: vscode.Disposable;
  /** Places of the present provider in the visible editors. */
  private offered = '';

  constructor(
    private readonly agent: Agent,
    private readonly set: ChangeSet,
    private readonly find: (uri: vscode.Uri) => Pick<SeenFile, 'file' | 'hunks'> | undefined,
  ) {
    this.controller.options = {
      prompt: vscode.l10n.t('Add a comment for the agent'),
      placeHolder: vscode.l10n.t('What should change here?'),
    };
    this.watching = set.onDidChange(() => this.follow());
    this.offer();
  }

  /**
   * Opens a thread at a hunk or at the file of the active editor, in which the user writes at once: VS Code's own command
   * moves the focus into the new thread, and a thread that an extension makes takes no focus.
   */
  async begin(document: vscode.TextDocument, placed: PlacedHunk | undefined): Promise<void> {
    const { start, end } = placed ? rangeOf(document, placed) : WHOLE_FILE;
    const range = { startLineNumber: start.line + 1, startColumn: 1, endLineNumber: end.line + 1, endColumn: 1 };
    await vscode.commands.executeCommand('workbench.action.addComment', { range, fileComment: false });
  }

  /** Tells the model of the comments in a thread with the model's next step; nothing is decided. */
  async tell({ thread, text }: vscode.CommentReply): Promise<void> {
    this.keep({ thread, text });
    const subject = this.subjectOf(thread);
    const body = textOf(thread);
    if (subject && body && (await this.send(subject, body))) {
      thread.label = vscode.l10n.t('Sent; the agent reads the comment with its next step');
      thread.comments = thread.comments.map((comment) =>
        comment instanceof Remark ? new Remark(comment.body, thread, 'sent') : comment,
      );
    }
  }

  /** Keeps a comment for the decision on the hunk. */
  keep({ thread, text }: vscode.CommentReply): void {
    if (text.trim() && this.subjectOf(thread)) {
      thread.label = vscode.l10n.t('Pending; sent with your decision');
      thread.comments = [...thread.comments, new Remark(text.trim(), thread)];
    }
  }

  /** Sends a comment at once, as a prompt with the hunk; the prompt joins a running turn. */
  async sendNow({ thread, text }: vscode.CommentReply): Promise<void> {
    const subject = this.subjectOf(thread);
    const body = [textOf(thread), text.trim()].filter(Boolean).join('\n\n');
    if (!subject || !body) {
      return;
    }
    this.drop(thread);
    const { uri, sessionId } = subject.file;
    const name = vscode.workspace.asRelativePath(vscode.Uri.parse(uri, true));
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

  /** Tells the model of a comment on a whole file with the model's next step; nothing is decided. */
  async tellOfFile(file: SetFile, text: string): Promise<boolean> {
    return this.send({ file, placed: undefined }, text);
  }

  /** Returns the comments for a decision on a hunk, or on the whole file. */
  of(file: SetFile, key?: string): string {
    return this.threadsOf(file, key).map(textOf).filter(Boolean).join('\n\n');
  }

  /** Removes the threads of a decided hunk, or of a decided file. */
  end(file: SetFile, key?: string): void {
    this.threadsOf(file, key).forEach((thread) => void this.drop(thread));
  }

  dispose(): void {
    this.watching.dispose();
    this.controller.dispose();
  }

  /** Returns the threads on the hunk, with the threads on hunks that the agent has changed since. */
  private threadsOf(file: SetFile, key: string | undefined): vscode.CommentThread[] {
    const current = this.set.now(file);
    const present = new Set(current && placedHunks(current).map(keyOf));
    return [...this.threads].flatMap(([thread, { file: subject, placed }]) => {
      const own = placed && keyOf(placed);
      const isOfDecision = key === undefined || own === key || own === undefined || !present.has(own);
      return nameOf(subject) === nameOf(file) && isOfDecision ? [thread] : [];
    });
  }

  /**
   * Offers comments on the hunks. VS Code asks a provider once for the places, and draws open threads again for another
   * provider, so another provider comes only with other places.
   */
  private offer(): void {
    const editors = vscode.window.visibleTextEditors;
    const places = JSON.stringify(editors.map(({ document }) => [document.uri.toString(), this.rangesOf(document)]));
    if (places !== this.offered) {
      this.offered = places;
      this.controller.commentingRangeProvider = { provideCommentingRanges: (document) => this.rangesOf(document) };
    }
  }

  private rangesOf(document: vscode.TextDocument): vscode.Range[] {
    const seen = this.find(document.uri);
    const ranges = seen?.hunks.map((placed) => rangeOf(document, placed)) ?? [];
    return seen && ranges.length === 0 ? [WHOLE_FILE] : ranges;
  }

  /** Returns the hunk or the file that a thread is about; remembers a thread that the user has begun. */
  private subjectOf(thread: vscode.CommentThread): Subject | undefined {
    const seen = this.find(thread.uri);
    if (seen && !this.threads.has(thread)) {
      thread.label = vscode.l10n.t('Comment for the agent');
      this.threads.set(thread, { file: seen.file, placed: hunkAt(seen.hunks, thread.range?.start.line ?? 0) });
    }
    return this.threads.get(thread);
  }

  /** Sends a comment without a decision; returns false for a hunk or a file that has changed, which the user is told. */
  private async send({ file: subject, placed }: Subject, comment: string): Promise<boolean> {
    let isSent = false;
    const failed = await this.set.decide(() => {
      const file = this.set.now(subject);
      const present = placed && file && placedHunks(file).find((other) => keyOf(other) === keyOf(placed));
      isSent = file !== undefined && (!placed || present !== undefined);
      return file && isSent ? [decisionOn(file, 'comment', present?.hunk, comment)] : [];
    });
    if (!isSent) {
      void inform(
        placed
          ? vscode.l10n.t('This hunk has changed; look again, then decide.')
          : vscode.l10n.t('No changes to review in this session.'),
      );
    }
    return isSent && failed.length === 0;
  }

  private follow(): void {
    this.offer();
    for (const [thread, { file }] of this.threads) {
      if (!this.set.now(file)) {
        this.drop(thread);
      }
    }
  }

  private drop(thread: vscode.CommentThread): void {
    this.threads.delete(thread);
    thread.dispose();
  }
}

/** Returns the comments in a thread of which the model is not told yet. */
function textOf(thread: vscode.CommentThread): string {
  return thread.comments
    .filter(({ contextValue }) => contextValue === 'kept')
    .map(({ body }) => (typeof body === 'string' ? body : body.value))
    .join('\n\n');
}
