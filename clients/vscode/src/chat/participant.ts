/** `@placet` in the editor's own chat, where available: the same agent, with a streamed answer. */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import { turn } from '../sessions/turn';
import type { PromptPart, Update } from '../wire';
import { updateText } from './update_text';

interface Kept {
  sessionId?: string;
}

export class Participant {
  constructor(private readonly agent: Agent) {}

  /** Answers one request of the chat; a conversation of the chat is a session of Placet. */
  async handle(
    request: vscode.ChatRequest,
    context: vscode.ChatContext,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<vscode.ChatResult> {
    const sessionId = sessionOf(context) ?? (await this.begin());
    const metadata: Kept = { sessionId };
    const parts: PromptPart[] = [{ type: 'text', text: request.prompt }, ...request.references.flatMap(partOf)];
    try {
      const { result, changed } = await turn(this.agent, sessionId, parts, {
        token,
        onUpdate: (update) => this.tell(update, stream),
      });
      for (const uri of changed) {
        stream.reference(vscode.Uri.parse(uri, true));
      }
      stream.button({ title: vscode.l10n.t('Open in Placet'), command: 'placet.openSession', arguments: [sessionId] });
      if (result.stopReason === 'error' && result.error) {
        return { metadata, errorDetails: { message: `${result.error.message} ${result.error.hint}`.trim() } };
      }
      return { metadata };
    } catch (error) {
      return { metadata, errorDetails: { message: error instanceof Error ? error.message : String(error) } };
    }
  }

  /** Starts a session that asks before each change: this window shows the change set of its own session. */
  private async begin(): Promise<string> {
    const { id } = await this.agent.request('agent/session/new', {});
    await this.agent.request('agent/session/setReview', { sessionId: id, review: 'ask' });
    return id;
  }

  private tell(update: Update, stream: vscode.ChatResponseStream): void {
    const progress = updateText(update);
    if (progress?.kind === 'text') {
      stream.markdown(progress.text);
    } else if (progress) {
      stream.progress(progress.text);
    }
  }
}

/** Returns the session of the conversation's earlier answers. */
function sessionOf(context: vscode.ChatContext): string | undefined {
  for (const entry of context.history.toReversed()) {
    if (entry instanceof vscode.ChatResponseTurn) {
      const { sessionId } = (entry.result.metadata ?? {}) as Kept;
      if (sessionId) {
        return sessionId;
      }
    }
  }
  return undefined;
}

/** Returns an attached file or a place in a file; other attachments appear only in the text. */
function partOf({ value }: vscode.ChatPromptReference): PromptPart[] {
  if (value instanceof vscode.Uri && value.scheme === 'file') {
    return [{ type: 'file', uri: value.toString() }];
  }
  if (value instanceof vscode.Location && value.uri.scheme === 'file') {
    const range = { start: value.range.start.line + 1, end: value.range.end.line + 1 };
    return [{ type: 'file', uri: value.uri.toString(), range }];
  }
  return [];
}
