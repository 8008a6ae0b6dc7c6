/**
 * Closes the tabs that VS Code opens without a request, for a text without a tab that stays unsaved for about 0.8
 * seconds.
 */
import * as vscode from 'vscode';
import { allTabs, closeTabs, textOf } from '../ui/tabs';
import { find } from './documents';

/** Latest time for the appearance of such a tab after VS Code's decision. */
const LATEST_MILLISECONDS = 500;

/** Runs work that ends with these files saved, and closes tabs that opened for files without a tab before. */
export async function withoutTabs<T>(uris: readonly vscode.Uri[], work: () => Promise<T>): Promise<T> {
  const hidden = new Set(uris.map(String));
  for (const tab of allTabs()) {
    hidden.delete(String(textOf(tab)));
  }
  // A tab in italics belongs to the user. The document shows whether the text is unsaved, as the tab is updated a
  // moment later.
  const isUnasked = (tab: vscode.Tab) => {
    const uri = String(textOf(tab));
    return hidden.has(uri) && !tab.isPreview && !find(uri)?.isDirty;
  };
  try {
    return await work();
  } finally {
    // From now on, a tab that opens in front may belong to the user.
    const late = vscode.window.tabGroups.onDidChangeTabs(
      ({ opened }) => void closeTabs(opened.filter((tab) => isUnasked(tab) && !tab.isActive)),
    );
    setTimeout(() => late.dispose(), LATEST_MILLISECONDS);
    await closeTabs(allTabs().filter(isUnasked));
  }
}
