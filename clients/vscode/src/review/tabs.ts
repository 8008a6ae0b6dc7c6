/** Tabs: how one is opened that nobody asked for, and what one shows. */
import * as vscode from 'vscode';

/** As VS Code takes it of its own extensions: a tab that is opened behind the one in front. */
export interface Quietly extends vscode.TextDocumentShowOptions {
  background: boolean;
}

/** How to open an editor that nobody asked for: in front only where nothing else is. */
export function quietly(): Quietly {
  const isEmpty = vscode.window.tabGroups.activeTabGroup.activeTab === undefined;
  return { preview: false, preserveFocus: true, background: !isEmpty };
}

export function allTabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs);
}

/** The focus stays where it is. */
export async function closeTabs(tabs: readonly vscode.Tab[]): Promise<void> {
  if (tabs.length > 0) {
    await vscode.window.tabGroups.close(tabs, true);
  }
}

/** The one text that a tab shows. VS Code opens such a tab by itself for what stays unsaved for a while in a list. */
export function textOf({ input }: vscode.Tab): vscode.Uri | undefined {
  return input instanceof vscode.TabInputText ? input.uri : undefined;
}

/** The diffs of a tab that lists several: VS Code tells them, though its stable typings have no name for it. */
export function listedBy({ input }: vscode.Tab): readonly vscode.TabInputTextDiff[] {
  const diffs = (input as { textDiffs?: unknown } | undefined)?.textDiffs;
  return Array.isArray(diffs) ? diffs : [];
}
