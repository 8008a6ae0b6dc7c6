/** Content of a tree view, and the registration of a tree view before the rest of the extension is loaded. */
import * as vscode from 'vscode';
import { plain, plainLines } from './plain_text';

/** Line of a tree; the children load when the line is opened. */
export interface Node {
  item: vscode.TreeItem;
  children?: () => readonly Node[] | Promise<readonly Node[]>;
  /** Object for the commands on the line. */
  subject?: unknown;
}

export interface Tree {
  readonly onDidChange: vscode.Event<void>;
  roots(): readonly Node[] | Promise<readonly Node[]>;
  /** Text beside the view's name. */
  readonly description?: string | undefined;
  /** Badge of the view: the number of waiting requests. */
  readonly badge?: vscode.ViewBadge | undefined;
}

/** Registers the views; `open` loads the trees when the user opens the first view. */
export function registerTrees(ids: readonly string[], open: () => Promise<Record<string, Tree>>): vscode.Disposable {
  return vscode.Disposable.from(...ids.map((id) => register(id, open)));
}

function register(id: string, open: () => Promise<Record<string, Tree>>): vscode.Disposable {
  const changed = new vscode.EventEmitter<undefined>();
  let tree: Tree | undefined;
  const opened = async (): Promise<Tree | undefined> => {
    const loaded = tree ?? (await open())[id];
    if (!tree && loaded) {
      tree = loaded;
      const tell = () => {
        view.description = plain(loaded.description ?? '');
        view.badge = loaded.badge;
      };
      tell();
      loaded.onDidChange(() => {
        tell();
        changed.fire(undefined);
      });
    }
    return loaded;
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

/** Returns a line with the text for the screen reader. */
export function line(label: string, spoken: string, more: Partial<vscode.TreeItem> = {}): vscode.TreeItem {
  const item = new vscode.TreeItem(plain(label));
  const { description, tooltip } = more;
  const texts = {
    ...(typeof description === 'string' ? { description: plain(description) } : {}),
    ...(typeof tooltip === 'string' ? { tooltip: plainLines(tooltip) } : {}),
  };
  return Object.assign(item, { accessibilityInformation: { label: plain(spoken) } }, more, texts);
}
