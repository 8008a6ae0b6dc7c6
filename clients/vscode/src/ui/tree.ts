/** What a tree view shows, and how it is registered before the rest of the extension is loaded. */
import * as vscode from 'vscode';
import { plain, plainLines } from './plain_text';

/** A line of a tree with all it shows; its children come when it is opened. */
export interface Node {
  item: vscode.TreeItem;
  children?: () => readonly Node[] | Promise<readonly Node[]>;
  /** What a command on the line is about. */
  subject?: unknown;
}

export interface Tree {
  readonly onDidChange: vscode.Event<void>;
  roots(): readonly Node[] | Promise<readonly Node[]>;
  /** Shown beside the view's name. */
  readonly description?: string | undefined;
  /** What waits in it, as the view's badge. */
  readonly badge?: vscode.ViewBadge | undefined;
}

/** Register the views; `open` loads the trees when the first of them is looked at. */
export function registerTrees(ids: readonly string[], open: () => Promise<Record<string, Tree>>): vscode.Disposable {
  return vscode.Disposable.from(...ids.map((id) => register(id, open)));
}

function register(id: string, open: () => Promise<Record<string, Tree>>): vscode.Disposable {
  const changed = new vscode.EventEmitter<undefined>();
  let tree: Tree | undefined;
  const opened = async (): Promise<Tree | undefined> => {
    const found = tree ?? (await open())[id];
    if (!tree && found) {
      tree = found;
      const tell = () => {
        view.description = plain(found.description ?? '');
        view.badge = found.badge;
      };
      tell();
      found.onDidChange(() => {
        tell();
        changed.fire(undefined);
      });
    }
    return found;
  };
  const view = vscode.window.createTreeView<Node>(id, {
    showCollapseAll: true,
    treeDataProvider: {
      onDidChangeTreeData: changed.event,
      getTreeItem: ({ item }) => item,
      getChildren: async (node) => [
        ...(node ? ((await node.children?.()) ?? []) : ((await (await opened())?.roots()) ?? [])),
      ],
    },
  });
  return vscode.Disposable.from(view, changed);
}

/** A line with the words a screen reader says for it. */
export function line(label: string, spoken: string, more: Partial<vscode.TreeItem> = {}): vscode.TreeItem {
  const item = new vscode.TreeItem(plain(label));
  const { description, tooltip } = more;
  const texts = {
    ...(typeof description === 'string' ? { description: plain(description) } : {}),
    ...(typeof tooltip === 'string' ? { tooltip: plainLines(tooltip) } : {}),
  };
  return Object.assign(item, { accessibilityInformation: { label: plain(spoken) } }, more, texts);
}
