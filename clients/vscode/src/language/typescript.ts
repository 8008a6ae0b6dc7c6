/** Diagnostics of TypeScript files without a tab: VS Code's own extension judges no others, but answers when asked. */
import * as vscode from 'vscode';
import type { Lsp } from './lsp_conversion';
import { fromTsServer, type TsDiagnostic } from './ts_server';

const LANGUAGES = new Set(['typescript', 'typescriptreact', 'javascript', 'javascriptreact']);
const COMMAND = 'typescript.tsserverRequest';
const QUESTIONS = ['syntacticDiagnosticsSync', 'semanticDiagnosticsSync'];

/** Of the document's present text; undefined when it is judged by itself, or cannot be had in time. */
export async function diagnosticsOfTypeScript(
  document: vscode.TextDocument,
  timeoutMilliseconds: number,
): Promise<Lsp[] | undefined> {
  if (!LANGUAGES.has(document.languageId) || hasTab(document.uri)) {
    return undefined;
  }
  const cancelling = new vscode.CancellationTokenSource();
  const timer = setTimeout(() => cancelling.cancel(), timeoutMilliseconds);
  const version = document.version;
  try {
    const found: Lsp[] = [];
    for (const question of QUESTIONS) {
      const answer = await vscode.commands.executeCommand<{ body?: TsDiagnostic[] } | undefined>(
        COMMAND,
        question,
        { file: document.uri },
        {},
        cancelling.token,
      );
      if (!answer?.body || document.version !== version) {
        return undefined;
      }
      found.push(...answer.body.map(fromTsServer));
    }
    return found;
  } catch {
    // Another version of the extension, or none: what it would have said is not known.
    return undefined;
  } finally {
    clearTimeout(timer);
    cancelling.dispose();
  }
}

function hasTab(uri: vscode.Uri): boolean {
  const name = uri.toString();
  return vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .some((tab) => tab.input instanceof vscode.TabInputText && tab.input.uri.toString() === name);
}
