/** Tabs that VS Code opens by itself: for texts that no tab shows, once one of them is unsaved for about 0.8 seconds. */
import * as vscode from 'vscode';
import { allTabs, closeTabs, textOf } from '../review/tabs';
import { find } from './documents';

/** How much later than it was decided on such a tab may be there. */
const LATEST_MILLISECONDS = 500;

/** Do the work, after which these files are saved, and close what was opened for those of them that no tab showed. */
export async function withoutTabs<T>(uris: readonly vscode.Uri[], work: () => Promise<T>): Promise<T> {
  const hidden = new Set(uris.map(String));
  for (const tab of allTabs()) {
    hidden.delete(String(textOf(tab)));
  }
  // One in italics is the user's. Unsaved is what its document says, as a tab is told a moment later.
  const isUnasked = (tab: vscode.Tab) => {
    const uri = String(textOf(tab));
    return hidden.has(uri) && !tab.isPreview && !find(uri)?.isDirty;
  };
  try {
    return await work();
  } finally {
    // From now on one that comes in front may as well be the user's.
    const late = vscode.window.tabGroups.onDidChangeTabs(
      ({ opened }) => void closeTabs(opened.filter((tab) => isUnasked(tab) && !tab.isActive)),
    );
    setTimeout(() => late.dispose(), LATEST_MILLISECONDS);
    await closeTabs(allTabs().filter(isUnasked));
  }
}
