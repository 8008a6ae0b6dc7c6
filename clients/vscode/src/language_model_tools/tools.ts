/** Tools for other agents of this editor: fresh diagnostics, a reviewed change, the state of the review. */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import type { EditorDiagnostics } from '../language/diagnostics';
import type { PendingRequests } from '../permissions/pending_requests';
import type { CurrentSession } from '../sessions/current';
import { turn } from '../sessions/turn';
import type { PromptPart } from '../wire';
import { diagnosticsText, proposalText, reviewText } from './texts';

const WARNING = 2;
const QUIET_MILLISECONDS = 500;
const TIMEOUT_MILLISECONDS = 10_000;
const MOST_DIAGNOSTICS = 100;

interface ToolInput {
  filePaths?: string[];
  instructions?: string;
}

export class LanguageModelTools {
  constructor(
    private readonly agent: Agent,
    private readonly session: CurrentSession,
    private readonly pendingRequests: PendingRequests,
    private readonly diagnostics: EditorDiagnostics,
  ) {}

  /** Returns the text and the question that VS Code shows before the tool runs. */
  prepare(name: string, input: ToolInput): vscode.PreparedToolInvocation {
    if (name === 'propose_change_set') {
      return {
        invocationMessage: vscode.l10n.t('Placet is preparing a change'),
        confirmationMessages: {
          title: vscode.l10n.t('Allow Placet to propose a change?'),
          message: vscode.l10n.t(
            'You review every edit before Placet writes to a file. Instructions: {0}',
            input.instructions ?? '',
          ),
        },
      };
    }
    return {
      invocationMessage:
        name === 'get_review_status'
          ? vscode.l10n.t('Reading the review status in Placet')
          : vscode.l10n.t('Waiting for fresh diagnostics'),
    };
  }

  async invoke(
    name: string,
    input: ToolInput,
    token: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResult> {
    const text = await this.answer(name, input, token);
    return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
  }

  private answer(name: string, input: ToolInput, token: vscode.CancellationToken): Promise<string> {
    switch (name) {
      case 'get_fresh_diagnostics':
        return this.diagnosticsOf(input.filePaths, token);
      case 'propose_change_set':
        return this.propose(input, token);
      default:
        return this.review();
    }
  }

  private async diagnosticsOf(paths: readonly string[] | undefined, token: vscode.CancellationToken): Promise<string> {
    const uris = paths?.map((path) => vscode.Uri.file(path).toString());
    const after: Record<string, number> = {};
    for (const uri of uris ?? []) {
      const document = vscode.workspace.textDocuments.find((textDocument) => textDocument.uri.toString() === uri);
      after[uri] = document?.version ?? 0;
    }
    const answer = await this.diagnostics.serve(
      {
        ...(uris ? { uris } : {}),
        after,
        minSeverity: WARNING,
        quietMs: QUIET_MILLISECONDS,
        timeoutMs: TIMEOUT_MILLISECONDS,
        limit: MOST_DIAGNOSTICS,
      },
      token,
    );
    return diagnosticsText(answer, nameOf);
  }

  /** Starts a session of its own, so that another agent's prompt stays out of the user's conversation. */
  private async propose(input: ToolInput, token: vscode.CancellationToken): Promise<string> {
    const files = (input.filePaths ?? []).map(
      (path): PromptPart => ({ type: 'file', uri: vscode.Uri.file(path).toString() }),
    );
    const { id } = await this.agent.request('agent/session/new', {});
    // The other agent waits for the outcome of the change, and this window shows the change set of its own session.
    await this.agent.request('agent/session/setReview', { sessionId: id, review: 'ask' });
    const parts: PromptPart[] = [{ type: 'text', text: input.instructions ?? '' }, ...files];
    return proposalText(await turn(this.agent, id, parts, { token }), nameOf);
  }

  private async review(): Promise<string> {
    const waiting = this.pendingRequests.waiting.map((ask) =>
      ask.kind === 'permission' ? ask.request.title : (ask.request.questions[0]?.question ?? ''),
    );
    const sessionId = this.session.id;
    const { changes } = sessionId ? await this.agent.request('agent/changes', { sessionId }) : { changes: [] };
    return reviewText(changes, waiting, nameOf);
  }
}

function nameOf(uri: string): string {
  return vscode.workspace.asRelativePath(vscode.Uri.parse(uri, true));
}
