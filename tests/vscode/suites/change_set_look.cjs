// What the change set looks like in the window: the pictures of the documentation.
const os = require('node:os');
const path = require('node:path');
const { openServices, play, prompt, put, runAll, until, user, vscode } = require('./harness.cjs');
const { GREET, NAMES, pictured, themed } = require('../pictured.cjs');
const { read, run } = require('../reviewing.cjs');

const PATCH = `*** Begin Patch
*** Update File: shop/greet.py
@@
 def greet(customer):
-    return "Hello " + customer.name
+    name = full_name(customer)
+    return f"Welcome, {name}!"
@@
 def farewell(customer):
-    return "Bye " + customer.name
+    return f"Goodbye, {full_name(customer)}."
*** Update File: shop/names.py
@@
 def full_name(customer):
-    return customer.first + " " + customer.last
+    return f"{customer.first} {customer.last}".strip()
*** Add File: shop/parcels.py
+"""Labels of parcels."""
*** End Patch`;

/** A turn that changes three files, in a review mode or as by default. */
async function changed(services, mode) {
  const files = [await put('shop/greet.py', GREET), await put('shop/names.py', NAMES)];
  const calls = [...files.map((uri) => ['read', { filePath: uri.fsPath }]), ['apply_patch', { patchText: PATCH }]];
  const turns = calls.map(([call, given]) => ({ events: [{ call, arguments: given }] }));
  const session = await play(services, [...turns, { events: [{ text: 'Done.' }] }]);
  await (mode && run('placet.chooseReview', mode));
  await prompt(services, session, 'Greet customers by their full name');
  await until('three files are in the set', () => services.changeSet.files.length === 3);
  return files[0];
}

exports.run = () =>
  runAll({
    async 'three proposed files: in the file, as one list, and in one comparison'() {
      const services = await openServices();
      const greet = await changed(services);
      await run('workbench.action.closeAuxiliaryBar');
      await run('workbench.view.scm');
      const editor = await vscode.window.showTextDocument(greet);
      editor.selection = new vscode.Selection(6, 0, 6, 0);
      await until('the hunks have lenses', async () => (await run('vscode.executeCodeLensProvider', greet, 9)).length > 0);
      for (const [theme, kind, file] of [
        ['Default Light Modern', vscode.ColorThemeKind.Light, 'vscode-change-set-light.png'],
        ['Default High Contrast', vscode.ColorThemeKind.HighContrast, 'vscode-change-set-high-contrast.png'],
        ['Default Dark Modern', vscode.ColorThemeKind.Dark, 'vscode-change-set-dark.png'],
      ]) {
        await themed(theme, kind);
        await pictured(file);
      }
      const inConflict = () => services.changeSet.files.some(({ hunks }) => hunks.some(({ baseLines }) => baseLines));
      const { lineCount } = editor.document;
      const line = [...Array(lineCount).keys()].find((at) => editor.document.lineAt(at).text.includes('"Bye "'));
      const before = editor.document.lineAt(line).text;
      const typed = (text) => editor.edit((change) => change.replace(editor.document.lineAt(line).range, text));
      await typed(`${before}  # mine`);
      await until('a hunk is in conflict', inConflict);
      user('see', '.codelens-decoration a:has-text("Take Theirs")');
      await pictured('vscode-change-set-conflict.png', os.tmpdir());
      await typed(before);
      await until('the hunk fits again', () => !inConflict());
      await run('placet.changeSet.compare');
      user('see', '.editor.modified .codelens-decoration a');
      await pictured('vscode-change-set-comparison.png', os.tmpdir());
      await run('placet.review');
      await until('the list is open', () => vscode.window.tabGroups.activeTabGroup.activeTab.label.startsWith('Placet: 3'));
      await run('workbench.view.explorer');
      await run('revealInExplorer', greet);
      user('see', '.multiDiffEntry:has-text("names.py") .editor.modified .codelens-decoration a');
      await pictured('vscode-change-set-list.png');
      await run('placet.review.rejectAll');
      await until('the set is empty', () => services.changeSet.files.length === 0);
    },

    async 'unreviewed files: in the file, with a comment'() {
      const services = await openServices();
      const greet = await changed(services, 'apply');
      await run('workbench.view.scm');
      const editor = await vscode.window.showTextDocument(greet);
      editor.selection = new vscode.Selection(6, 0, 6, 0);
      await run('workbench.action.focusActiveEditorGroup');
      user('see', '.codelens-decoration a');
      user('keys', 'Alt+c');
      user('see', '.review-widget .monaco-editor.focused');
      user('write', 'Who says the name is full?');
      await pictured('vscode-change-set-unreviewed.png');
      // VS Code keeps a draft, and would show the draft again in the next suite of this window.
      user('keys', 'Control+a then Delete');
      user('point', '.review-widget .codicon-trashcan, .review-widget .codicon-trash, .review-widget .codicon-discard');
      user('gone', '.review-widget');
      await pictured('vscode-no-draft.png', os.tmpdir());
      await run('placet.changeSet.undoAll');
      await until('the set is empty', () => services.changeSet.files.length === 0);
    },

    async 'the picker of the review mode'() {
      await openServices();
      const picking = run('placet.chooseReview');
      user('picture', path.join(os.tmpdir(), 'vscode-review-mode.png'));
      user('press', 'Escape');
      await picking;
    },
  });
