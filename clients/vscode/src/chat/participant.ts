/** `@placet` in the editor's own chat, where it has one: the same agent, its answer streamed there. */
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

  /** Answers one request of the chat; a conversation there is a session here. */
  async handle(
    request: vscode.ChatRequest,
    context: vscode.ChatContext,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<vscode.ChatResult> {
    const sessionId = sessionOf(context) ?? (await this.agent.request('agent/session/new', {})).id;
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

  private tell(update: Update, stream: vscode.ChatResponseStream): void {
    const told = updateText(update);
    if (told?.kind === 'text') {
      stream.markdown(told.text);
    } else if (told) {
      stream.progress(told.text);
    }
  }
}

/** The session that the conversation's earlier answers came from. */
function sessionOf(context: vscode.ChatContext): string | undefined {
  for (const one of context.history.toReversed()) {
    if (one instanceof vscode.ChatResponseTurn) {
      const { sessionId } = (one.result.metadata ?? {}) as Kept;
      if (sessionId) {
        return sessionId;
      }
    }
  }
  return undefined;
}

/** A file or a place in one that the user has attached; what is neither is left to the words. */
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
