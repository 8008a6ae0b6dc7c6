/** Shows changes in VS Code's own diff editors, from texts that nobody can save. */
import * as vscode from 'vscode';

export const SCHEME = 'placet-review';

export interface ShownFile {
  uri: string;
  newUri?: string | undefined;
  kind: 'create' | 'modify' | 'delete' | 'rename';
  oldText: string;
  newText: string;
}

/** New text of an applied change, as a document shows the text. */
export interface AppliedSide {
  sessionId: string;
  /** URI of the real file. */
  uri: vscode.Uri;
  text: string;
}

interface Shown {
  texts: Map<string, string>;
  applied: Map<string, AppliedSide>;
}

export class DiffView implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly shown = new Map<string, Shown>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.shown.get(uri.authority)?.texts.get(uri.toString()) ?? '';
  }

  /** Returns the applied text that a document shows. */
  applied(uri: vscode.Uri): AppliedSide | undefined {
    return uri.scheme === SCHEME ? this.shown.get(uri.authority)?.applied.get(uri.toString()) : undefined;
  }

  /**
   * Opens the diff; `id` tells the texts of the diff apart from other texts. A single file opens in a diff editor,
   * several files in one list. With `sessionId`, the diff is an applied change of the session.
   */
  async show(
    id: string,
    title: string,
    files: readonly ShownFile[],
    options: { sessionId?: string; line?: number },
  ): Promise<void> {
    const texts = new Map<string, string>();
    const applied = new Map<string, AppliedSide>();
    const put = (side: string, uri: string, text: string): vscode.Uri => {
      const real = vscode.Uri.parse(uri, true);
      // The path stays at the end, so that the language and the name in the tab are right.
      const shown = real.with({ scheme: SCHEME, authority: authorityOf(id), query: side });
      texts.set(shown.toString(), text);
      return shown;
    };
    const pairs = files.map((file) => ({
      uri: vscode.Uri.parse(file.newUri ?? file.uri, true),
      before: put('before', file.uri, file.oldText),
      after: put('after', file.newUri ?? file.uri, file.newText),
    }));
    const { sessionId } = options;
    pairs.forEach(({ uri, after }, index) => {
      if (sessionId && files[index]) {
        applied.set(after.toString(), { sessionId, uri, text: files[index].newText });
      }
    });
    this.shown.set(authorityOf(id), { texts, applied });
    const [first] = pairs;
    if (!first) {
      return;
    }
    if (pairs.length === 1) {
      const { line } = options;
      const selection = line === undefined ? {} : { selection: new vscode.Range(line, 0, line, 0) };
      const how = { preview: true, ...selection };
      await vscode.commands.executeCommand('vscode.diff', first.before, first.after, title, how);
    } else {
      const resources = pairs.map(({ uri, before, after }) => [uri, before, after]);
      await vscode.commands.executeCommand('vscode.changes', title, resources);
    }
  }

  dispose(): void {
    this.registration.dispose();
  }
}

function authorityOf(id: string): string {
  return id.toLowerCase().replace(/[^a-z0-9.-]/g, '-');
}
