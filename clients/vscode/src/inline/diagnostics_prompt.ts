/** Implements `Fix This` and `Explain This` from the menu and by key: the prompts are the same as in the lightbulb. */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import { type DiagnosticLike, diagnostic, range as plainRange } from '../language/lsp_conversion';
import type { Aim } from './code_actions';

interface DaemonAction {
  title: string;
  diagnostics?: unknown[];
  command?: { arguments?: string[] };
}

const MOST = 5;

/** Returns the diagnostics at the cursor or in the selection, from any source; the worst first. */
export function diagnosticsAt(editor: vscode.TextEditor): vscode.Diagnostic[] {
  const { selection, document } = editor;
  const place = selection.isEmpty ? document.lineAt(selection.active.line).range : selection;
  return vscode.languages
    .getDiagnostics(document.uri)
    .filter((diagnostic) => diagnostic.range.intersection(place) !== undefined)
    .sort((diagnostic, other) => diagnostic.severity - other.severity)
    .slice(0, MOST);
}

/** Returns the daemon's prompt; undefined without a selection and diagnostics. */
export async function promptFor(agent: Agent, editor: vscode.TextEditor, aim: Aim): Promise<string | undefined> {
  const diagnostics = diagnosticsAt(editor);
  const { selection, document } = editor;
  if (diagnostics.length === 0 && (aim === 'change' || selection.isEmpty)) {
    return undefined;
  }
  const actions = await agent.request<DaemonAction[]>('textDocument/codeAction', {
    textDocument: { uri: document.uri.toString() },
    range: plainRange(selection),
    context: { diagnostics: diagnostics.map((value) => diagnostic(value as DiagnosticLike)) },
  });
  const start = aim === 'change' ? 'Fix' : 'Explain';
  const prompts = actions
    .filter((action) => action.title.startsWith(start) && (action.diagnostics !== undefined) === diagnostics.length > 0)
    .flatMap((action) => action.command?.arguments ?? []);
  return prompts.length > 0 ? prompts.join('\n') : undefined;
}
