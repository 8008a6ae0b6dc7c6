// Loads an extension once, as VS Code does, with an empty editor around it, and prints how long loading and activating
// took, in milliseconds. Takes the extension's folder.
const Module = require('node:module');
const path = require('node:path');

const folder = path.resolve(process.argv[2]);
// Whatever is asked of the editor is there: a function and a class that gives something to dispose of, and has all of
// that again. The names on top are given, as a bundle copies them.
function anything() {
  return { dispose() {} };
}
const part = new Proxy(anything, { get: () => part });
const NAMES = ['commands', 'window', 'workspace', 'chat', 'lm', 'Disposable', 'EventEmitter', 'ExtensionMode', 'Uri'];
const editor = Object.fromEntries(NAMES.map((name) => [name, part]));
const load = Module._load;
Module._load = (name, ...rest) => (name === 'vscode' ? editor : load(name, ...rest));

const manifest = require(path.join(folder, 'package.json'));
const context = { subscriptions: [], extension: { packageJSON: manifest }, extensionMode: 1 };
const start = performance.now();
require(path.join(folder, manifest.main)).activate(context);
process.stdout.write(`${performance.now() - start}\n`);
