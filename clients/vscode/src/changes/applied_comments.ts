/** Comments of the user on an applied change: each is a prompt of its own. */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import type { AppliedSide, DiffView } from '../diff/diff_view';
import { lineNow } from '../diff/line_diff';

export class AppliedComments implements vscode.Disposable {
  private readonly controller = vscode.comments.createCommentController('placet', 'Placet');

  constructor(
    private readonly agent: Agent,
    private readonly diffs: Pick<DiffView, 'applied'>,
  ) {
    this.controller.options = {
      prompt: vscode.l10n.t('Add a comment for the agent'),
      placeHolder: vscode.l10n.t('What should change here?'),
    };
    this.controller.commentingRangeProvider = {
      provideCommentingRanges: (document) =>
        diffs.applied(document.uri) ? [new vscode.Range(0, 0, Math.max(document.lineCount - 1, 0), 0)] : [],
    };
  }

  /** Sends a comment that the user wrote into a thread. */
  async add({ thread, text }: vscode.CommentReply): Promise<void> {
    const body = text.trim();
    const applied = this.diffs.applied(thread.uri);
    if (body && applied) {
      thread.label = vscode.l10n.t('Sent to the agent');
      const author = { name: vscode.l10n.t('You') };
      const remark = { body, author, mode: vscode.CommentMode.Preview, timestamp: new Date() };
      thread.comments = [...thread.comments, remark];
      thread.state = vscode.CommentThreadState.Unresolved;
      await this.send(applied, thread, body);
      thread.state = vscode.CommentThreadState.Resolved;
    }
  }

  dispose(): void {
    this.controller.dispose();
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
