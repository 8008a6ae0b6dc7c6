/** Tabs that VS Code opens by itself: for a text that no tab shows and that stays unsaved for about 0.8 seconds. */
import * as vscode from 'vscode';
import { allTabs, closeTabs, textOf } from '../review/tabs';

const SOONEST_MILLISECONDS = 700;
/** How much later than it was decided on such a tab may be there. */
const LATEST_MILLISECONDS = 500;

/** Do the work, after which these files are saved, and close what was opened for those of them that no tab showed. */
export async function withoutTabs<T>(uris: readonly vscode.Uri[], work: () => Promise<T>): Promise<T> {
  const hidden = new Set(uris.map(String));
  for (const tab of allTabs()) {
    hidden.delete(String(textOf(tab)));
  }
  const begun = performance.now();
  try {
    return await work();
  } finally {
    // Sooner than that none is opened but by the user.
    if (performance.now() - begun > SOONEST_MILLISECONDS && hidden.size > 0) {
      const isUnasked = (tab: vscode.Tab) => hidden.has(String(textOf(tab))) && !tab.isDirty;
      // One that is there already may be told to be saved a moment after its text is.
      const late = vscode.window.tabGroups.onDidChangeTabs(
        ({ opened, changed }) => void closeTabs([...opened, ...changed].filter(isUnasked)),
      );
      setTimeout(() => late.dispose(), LATEST_MILLISECONDS);
      await closeTabs(allTabs().filter(isUnasked));
    }
  }
}
