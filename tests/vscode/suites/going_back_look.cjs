// What going back looks like in the chat: the preview with its choices, and the line with the way forward.
const fs = require('node:fs/promises');
const os = require('node:os');
const { openServices, play, prompt, put, runAll, until, vscode } = require('./harness.cjs');
const { GREET, NAMES, pictured, themed } = require('../pictured.cjs');
const { called, DONE } = require('../prompts.cjs');
const { add, patch, read, run } = require('../reviewing.cjs');
const { ChatUser } = require('../model.cjs');

const FULL_NAMES = `*** Begin Patch
*** Update File: shop/greet.py
@@
 def greet(customer):
-    return "Hello " + customer.name
+    return f"Welcome, {full_name(customer)}!"
*** Update File: shop/names.py
@@
 def full_name(customer):
-    return customer.first + " " + customer.last
+    return f"{customer.first} {customer.last}".strip()
*** End Patch`;

exports.run = () =>
  runAll({
    async 'the preview names the files, what stays, and what the user edited; then the line offers the redo'() {
      const services = await openServices();
      const [greet, names] = [await put('shop/greet.py', GREET), await put('shop/names.py', NAMES)];
      const session = await play(services, [
        DONE,
        ...[called(read(greet)), called(read(names)), called(['apply_patch', { patchText: FULL_NAMES }]), DONE],
        ...[called(patch(add('shop/parcels.py', ['"""Labels of parcels."""']))), DONE],
        ...[called(['bash', { command: 'git push origin main', description: 'Push' }]), DONE],
      ]);
      await run('placet.chooseReview', 'apply');
      await prompt(services, session, 'How does the shop greet its customers?');
      await prompt(services, session, 'Greet customers by their full name');
      await prompt(services, session, 'Add a module for the labels of parcels');
      const pushed = prompt(services, session, 'Push it');
      await run('placet.chat.focus');
      const chat = new ChatUser();
      await chat.click('Allow');
      await pushed;
      await fs.writeFile(names.fsPath, NAMES.replace('customer.first', 'customer.given'));
      await run('workbench.action.closeAuxiliaryBar');
      await vscode.window.showTextDocument(greet);
      await chat.clear();
      await chat.write('');
      for (let up = 0; up < 3; up++) {
        await chat.press('Alt+ArrowUp');
      }
      await chat.click('Go Back to Here: Greet customers');
      await chat.see('Talk: hides 3 prompts');
      await chat.focused('Talk and Files');
      for (const [theme, kind, file] of [
        ['Default Light Modern', vscode.ColorThemeKind.Light, 'vscode-going-back-light.png'],
        ['Default High Contrast', vscode.ColorThemeKind.HighContrast, 'vscode-going-back-high-contrast.png'],
      ]) {
        await themed(theme, kind);
        await pictured(file, os.tmpdir());
      }
      await themed('Default Dark Modern', vscode.ColorThemeKind.Dark);
      await pictured('vscode-going-back.png');
      await chat.click('Talk and Files');
      await chat.see('You went back.');
      const lenses = () => run('vscode.executeCodeLensProvider', greet, 9);
      await until('no lens is left', async () => (await lenses()).length === 0);
      await pictured('vscode-went-back.png', os.tmpdir());
    },
  });
