/**
 * Comments of the user. Comments on a proposal are sent with the answer; comments on an applied change are prompts of
 * their own.
 */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import type { AppliedSide } from '../diff/diff_view';
import { lineNow } from '../diff/line_diff';
import { BASE } from '../diff/sides';
import type { CommentOnChange } from '../wire';
import { hunkIdOf, unitAt } from './change';
import type { Review } from './review';

interface SideLookup {
  /** Returns the review that a document belongs to. */
  review(uri: vscode.Uri): Review | undefined;
  /** Returns the applied text that a document shows. */
  applied(uri: vscode.Uri): AppliedSide | undefined;
}

class Remark implements vscode.Comment {
  readonly mode = vscode.CommentMode.Preview;
  readonly author = { name: vscode.l10n.t('You') };
  readonly timestamp = new Date();

  constructor(
    readonly body: string,
    readonly thread: vscode.CommentThread,
    readonly contextValue: 'kept' | 'sent',
  ) {}
}

export class Comments implements vscode.Disposable {
  private readonly controller = vscode.comments.createCommentController('placet', 'Placet');
  private readonly threads = new Map<vscode.CommentThread, string>();

  constructor(
    private readonly agent: Agent,
    private readonly lookup: SideLookup,
  ) {
    this.controller.options = {
      prompt: vscode.l10n.t('Add a comment for the agent'),
      placeHolder: vscode.l10n.t('What should change here?'),
    };
    this.controller.commentingRangeProvider = {
      provideCommentingRanges: (document) => {
        const isOurs = lookup.review(document.uri) ?? lookup.applied(document.uri);
        return isOurs ? [new vscode.Range(0, 0, Math.max(document.lineCount - 1, 0), 0)] : [];
      },
    };
  }

  /** Adds a comment that the user wrote into a thread. */
  async add({ thread, text }: vscode.CommentReply): Promise<void> {
    const body = text.trim();
    const review = this.lookup.review(thread.uri);
    const applied = this.lookup.applied(thread.uri);
    if (!body || !(review || applied)) {
      return;
    }
    thread.label = review ? vscode.l10n.t('Pending; sent with your answer') : vscode.l10n.t('Sent to the agent');
    thread.comments = [...thread.comments, new Remark(body, thread, review ? 'kept' : 'sent')];
    if (review) {
      this.threads.set(thread, review.id);
    } else if (applied) {
      thread.state = vscode.CommentThreadState.Unresolved;
      await this.send(applied, thread, body);
      thread.state = vscode.CommentThreadState.Resolved;
    }
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

  /** Returns the comments on the files and hunks of a review. */
  of(review: Review): CommentOnChange[] {
    return [...this.threads].flatMap(([thread, id]) => {
      const reviewedFile = review.files[review.indexOf(thread.uri)];
      const line = thread.range?.start.line ?? 0;
      if (id !== review.id || !reviewedFile || thread.comments.length === 0) {
        return [];
      }
      const text = thread.comments.map(({ body }) => (typeof body === 'string' ? body : body.value)).join('\n\n');
      const isOld = thread.uri.scheme === BASE;
      const inOld = reviewedFile.units.find(
        ({ oldStart, oldLines }) => oldStart <= line && line < oldStart + oldLines.length,
      );
      const at = isOld ? inOld && { unit: inOld, isIn: true } : unitAt(reviewedFile, line);
      const hunk = at?.isIn ? hunkIdOf(reviewedFile.file, at.unit) : undefined;
      // Only the number identifies a line outside all hunks.
      const where = at?.isIn ? '' : `${isOld ? 'Old line' : 'Line'} ${line + 1}: `;
      return [{ uri: reviewedFile.file.uri, ...(hunk === undefined ? {} : { hunk }), text: where + text }];
    });
  }

  /** Removes the threads of a review that has ended. */
  end(review: Review): void {
    for (const [thread, id] of this.threads) {
      if (id === review.id) {
        this.drop(thread);
      }
    }
  }

  dispose(): void {
    this.controller.dispose();
  }

  private drop(thread: vscode.CommentThread): void {
    this.threads.delete(thread);
    thread.dispose();
  }

  /** Sends the comment with the current range of the commented lines. */
  private async send({ sessionId, uri, text }: AppliedSide, thread: vscode.CommentThread, body: string): Promise<void> {
    const now = await currentText(uri);
    const range = thread.range ?? new vscode.Range(0, 0, 0, 0);
    const [start, end] = [range.start.line, range.end.line].map((line) => lineNow(text, now ?? text, line) + 1);
    const lines = { start: start ?? 1, end: end ?? start ?? 1 };
    const part = { type: 'file' as const, uri: uri.toString(), range: lines };
    const parts = [{ type: 'text' as const, text: body }, ...(now === undefined ? [] : [part])];
    await this.agent.request('agent/prompt', { sessionId, parts, queue: 'after' });
  }
}

async function currentText(uri: vscode.Uri): Promise<string | undefined> {
  try {
    return (await vscode.workspace.openTextDocument(uri)).getText().replaceAll('\r\n', '\n');
  } catch {
    return undefined;
  }
}
