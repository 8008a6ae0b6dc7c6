/** Tabs: options of a tab that opens without a request, and the contents of a tab. */
import * as vscode from 'vscode';

/** Option that VS Code accepts from VS Code's own extensions: the tab opens behind the active tab. */
export interface Quietly extends vscode.TextDocumentShowOptions {
  background: boolean;
}

/** Returns the options of an editor that opens without a request: active only if no tab is active. */
export function quietly(): Quietly {
  const isEmpty = vscode.window.tabGroups.activeTabGroup.activeTab === undefined;
  return { preview: false, preserveFocus: true, background: !isEmpty };
}

export function allTabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs);
}

/** Closes the tabs without moving the focus. */
export async function closeTabs(tabs: readonly vscode.Tab[]): Promise<void> {
  if (tabs.length > 0) {
    await vscode.window.tabGroups.close(tabs, true);
  }
}

/**
 * Returns the single text of a tab. VS Code opens such a tab by itself when a text in a list stays unsaved for a while.
 */
export function textOf({ input }: vscode.Tab): vscode.Uri | undefined {
  return input instanceof vscode.TabInputText ? input.uri : undefined;
}

/**
 * Returns the diffs of a tab that lists several files: VS Code provides the diffs, though the stable typings have no
 * name for the property.
 */
export function listedBy({ input }: vscode.Tab): readonly vscode.TabInputTextDiff[] {
  const diffs = (input as { textDiffs?: unknown } | undefined)?.textDiffs;
  return Array.isArray(diffs) ? diffs : [];
}
