// What a review looks like, in a dark, a light and a high-contrast window.
const { asked, assert, openServices, play, prompt, put, runAll, vscode } = require('./harness.cjs');
const { GREET, NAMES, pictured, themed } = require('../pictured.cjs');
const { run, targetOf, waits } = require('../reviewing.cjs');

const TEST = `from shop.greet import greet


def test_a_customer_is_greeted(ada):
    assert greet(ada) == "Hello Ada"
`;

const TESTS = {
    async 'a review of three files, in part decided'() {
      const services = await openServices();
      const files = [await put('shop/greet.py', GREET), await put('shop/names.py', NAMES), await put('tests/test_greet.py', TEST)];
      const patch = `*** Begin Patch
*** Update File: shop/greet.py
@@
 def greet(customer):
-    return "Hello " + customer.name
+    return f"Welcome, {full_name(customer)}!"
@@
 def farewell(customer):
-    return "Bye " + customer.name
+    return f"Goodbye, {full_name(customer)}."
*** Update File: shop/names.py
@@
 def full_name(customer):
-    return customer.first + " " + customer.last
+    return f"{customer.first} {customer.last}".strip()
*** Update File: tests/test_greet.py
@@
-    assert greet(ada) == "Hello Ada"
+    assert greet(ada) == "Welcome, Ada Lovelace!"
*** End Patch`;
      const calls = [...files.map((uri) => ['read', { filePath: uri.fsPath }]), ['apply_patch', { patchText: patch }]];
      const turns = calls.map(([call, given]) => ({ events: [{ call, arguments: given }] }));
      const session = await play(services, [...turns, { events: [{ text: 'Done.' }] }]);
      const ended = prompt(services, session, 'Greet customers by their full name');
      await asked(services);
      await run('workbench.action.closeAuxiliaryBar');
      await run('workbench.view.scm');
      await run('placet.review');
      const [file] = await waits(services, '2 1 1');
      await run('placet.review.accept', targetOf(file, 0));
      await waits(services, '1 1 1');
      for (const [name, kind, file] of [
        ['Default Dark Modern', vscode.ColorThemeKind.Dark, 'vscode-review-dark.png'],
        ['Default Light Modern', vscode.ColorThemeKind.Light, 'vscode-review-light.png'],
        ['Default High Contrast', vscode.ColorThemeKind.HighContrast, 'vscode-review-high-contrast.png'],
      ]) {
        await themed(name, kind);
        await pictured(file);
      }
      assert.equal(services.pendingRequests.waiting.length, 1, 'the call waits for what is undecided');
      await run('placet.review.rejectAll');
      assert.ok((await ended).stopReason);
    },
};

exports.run = () => runAll(TESTS, { settings: { 'placet.reviewMode': 'ask' } });
