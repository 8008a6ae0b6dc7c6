/** Changes shown in VS Code's own diff editors, from texts that nobody can save. */
import * as vscode from 'vscode';

export const SCHEME = 'placet-review';

export interface ShownFile {
  uri: string;
  newUri?: string | undefined;
  kind: 'create' | 'modify' | 'delete' | 'rename';
  oldText: string;
  newText: string;
}

interface Shown {
  title: string;
  texts: Map<string, string>;
}

export class DiffView implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly shown = new Map<string, Shown>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.shown.get(uri.authority)?.texts.get(uri.toString()) ?? '';
  }

  /** Open the diff under `id`, which names it for `close`. One file in a diff editor, several in one list. */
  async show(id: string, title: string, files: readonly ShownFile[], options: { focus: boolean }): Promise<void> {
    const texts = new Map<string, string>();
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
    this.shown.set(authorityOf(id), { title, texts });
    const [first] = pairs;
    if (!first) {
      return;
    }
    if (pairs.length === 1) {
      await vscode.commands.executeCommand('vscode.diff', first.before, first.after, title, {
        preview: true,
        preserveFocus: !options.focus,
      });
    } else {
      const resources = pairs.map(({ uri, before, after }) => [uri, before, after]);
      await vscode.commands.executeCommand('vscode.changes', title, resources);
    }
  }

  /** Close the editors that show it. */
  async close(id: string): Promise<void> {
    const authority = authorityOf(id);
    const shown = this.shown.get(authority);
    if (!shown) {
      return;
    }
    this.shown.delete(authority);
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const ours = tabs.filter((tab) =>
      tab.input instanceof vscode.TabInputTextDiff
        ? tab.input.modified.scheme === SCHEME && tab.input.modified.authority === authority
        : // The stable API does not tell what a list of diffs shows, but its name.
          tab.input === undefined && tab.label === shown.title,
    );
    if (ours.length > 0) {
      await vscode.window.tabGroups.close(ours, true);
    }
  }

  dispose(): void {
    this.registration.dispose();
  }
}

function authorityOf(id: string): string {
  return id.toLowerCase().replace(/[^a-z0-9.-]/g, '-');
}
