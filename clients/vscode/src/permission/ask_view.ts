/** What is asked, whole and read-only in an editor, for what is too long for a notification. */
import * as vscode from 'vscode';
import { allTabs, closeTabs, textOf } from '../review/tabs';

const SCHEME = 'placet-ask';

export class AskView implements vscode.TextDocumentContentProvider, vscode.Disposable {
  /** By the id of the ask. */
  private readonly texts = new Map<string, string>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.query) ?? '';
  }

  /** Open it from its first line, and leave the focus to the picker above it. */
  async show(id: string, text: string): Promise<void> {
    this.texts.set(id, text);
    const document = await vscode.workspace.openTextDocument(uriOf(id));
    const selection = new vscode.Range(0, 0, 0, 0);
    await vscode.window.showTextDocument(document, { preview: true, preserveFocus: true, selection });
  }

  async close(id: string): Promise<void> {
    if (this.texts.delete(id)) {
      const shown = uriOf(id).toString();
      await closeTabs(allTabs().filter((tab) => textOf(tab)?.toString() === shown));
    }
  }

  dispose(): void {
    this.registration.dispose();
  }
}

function uriOf(id: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: '/Placet asks', query: id });
}
