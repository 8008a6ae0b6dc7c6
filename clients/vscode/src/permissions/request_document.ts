/**
 * Shows a request whole and read-only in an editor, with the answers above the text, when the request is too long for a
 * notification.
 */
import * as vscode from 'vscode';
import { allTabs, closeTabs, textOf } from '../ui/tabs';
import type { Link } from '../ui/window';

const SCHEME = 'placet-ask';

interface Shown {
  text: string;
  answers: readonly Link[];
}

export class RequestDocument implements vscode.TextDocumentContentProvider, vscode.CodeLensProvider, vscode.Disposable {
  /** Shown requests by request id. */
  private readonly shown = new Map<string, Shown>();
  private readonly registrations = [
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
    vscode.languages.registerCodeLensProvider({ scheme: SCHEME }, this),
  ];

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.shown.get(uri.query)?.text ?? '';
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const top = new vscode.Range(0, 0, 0, 0);
    const answers = this.shown.get(uri.query)?.answers ?? [];
    return answers.map(
      ({ label, command, parameters }) =>
        new vscode.CodeLens(top, { title: label, command, arguments: [...parameters] }),
    );
  }

  /** Returns true if the request is in the active editor. */
  isInFront(id: string): boolean {
    return vscode.window.activeTextEditor?.document.uri.toString() === uriOf(id).toString();
  }

  async show(id: string, text: string, answers: readonly Link[]): Promise<void> {
    this.shown.set(id, { text, answers });
    const document = await vscode.workspace.openTextDocument(uriOf(id));
    await vscode.window.showTextDocument(document, { preview: true });
  }

  async close(id: string): Promise<void> {
    if (this.shown.delete(id)) {
      const shown = uriOf(id).toString();
      await closeTabs(allTabs().filter((tab) => textOf(tab)?.toString() === shown));
    }
  }

  dispose(): void {
    vscode.Disposable.from(...this.registrations).dispose();
  }
}

function uriOf(id: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME, path: '/Placet request', query: id });
}
