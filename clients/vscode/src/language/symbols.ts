/** Detects a language server. VS Code gives the same answer for "nothing found" and "no server". */
import * as vscode from 'vscode';

/**
 * Returns true if a provider knows symbols of the file, and thus the language; a file without symbols counts as
 * unserved.
 */
export async function knowsSymbols(uri: vscode.Uri): Promise<boolean> {
  const symbols = await vscode.commands.executeCommand<unknown[] | undefined>(
    'vscode.executeDocumentSymbolProvider',
    uri,
  );
  return (symbols?.length ?? 0) > 0;
}
