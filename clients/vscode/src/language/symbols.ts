/** Whether a language server is there. VS Code answers "nothing found" and "nobody there" alike. */
import * as vscode from 'vscode';

/** Who knows a file's symbols knows its language; a file without symbols counts as served by nobody. */
export async function knowsSymbols(uri: vscode.Uri): Promise<boolean> {
  const symbols = await vscode.commands.executeCommand<unknown[] | undefined>(
    'vscode.executeDocumentSymbolProvider',
    uri,
  );
  return (symbols?.length ?? 0) > 0;
}
