/**
 * Diagnostics of TypeScript files without a tab: VS Code's own extension checks only files with a tab, but answers
 * direct requests.
 */
import * as vscode from 'vscode';
import type { Lsp } from './lsp_conversion';
import { fromTsServer, type TsDiagnostic } from './ts_server';

const LANGUAGES = new Set(['typescript', 'typescriptreact', 'javascript', 'javascriptreact']);
const COMMAND = 'typescript.tsserverRequest';
const QUESTIONS = ['syntacticDiagnosticsSync', 'semanticDiagnosticsSync'];

/**
 * Returns the diagnostics of the document's current text; undefined when the extension checks the file by itself, or
 * does not answer in time.
 */
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
    const diagnostics: Lsp[] = [];
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
      diagnostics.push(...answer.body.map(fromTsServer));
    }
    return diagnostics;
  } catch {
    // The extension is missing or has another version, so the diagnostics are unknown.
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
