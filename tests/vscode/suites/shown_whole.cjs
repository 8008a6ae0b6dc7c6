// What the user can read of each change directly before the key that accepts the change, at several widths of the window.
const { assert, onDisk, openServices, play, prompt, put, readByUser, runAll, until, user, vscode } = require('./harness.cjs');
const { PROPOSAL, read, run } = require('../reviewing.cjs');

const WINDOW_WIDTH = 1280;

const called = ([call, given]) => ({ events: [{ call, arguments: given }] });
/** The text of the file once the change is written. */
const written = ({ uri, before }) =>
  until('the change is written', async () => {
    const text = await onDisk(uri).catch(() => null);
    return text !== before && { text };
  });
const activeEditor = () => vscode.window.activeTextEditor;

/** The texts in the focused editor, by the width of the window. */
async function textsAt(widths) {
  const texts = {};
  for (const width of widths) {
    user('wide', width);
    user('see', '.monaco-editor.focused .codelens-decoration a');
    texts[`${width} pixels`] = await readByUser('text');
  }
  return texts;
}

/** Presses the key until the change is decided, and returns the texts of before the key that decided. */
async function accepted(widths, isDecided) {
  for (;;) {
    const shown = activeEditor().document;
    const texts = await textsAt(widths);
    user('keys', 'Alt+y');
    const next = await until('the key has decided, or shows more', async () =>
      (await isDecided()) ? 'decided' : activeEditor() && activeEditor().document !== shown && 'shown',
    );
    if (next === 'decided') {
      return texts;
    }
    await hasLens(activeEditor().document.uri);
  }
}

const hasLens = (uri) =>
  until('the hunk has lenses', async () =>
    (await run('vscode.executeCodeLensProvider', uri, 9)).some(({ command }) => command?.command.startsWith('placet.')),
  );

/** The file with the hunk in an editor that has the focus; the comparison of a file that is not there. */
async function opened({ services, uri, isThere }) {
  const [hunk] = services.changeSet.get(uri.toString()).hunks;
  if (isThere) {
    const editor = await vscode.window.showTextDocument(uri);
    editor.selection = new vscode.Selection(hunk.oldStart, 0, hunk.oldStart, 0);
  } else {
    await run('placet.changeSet.compare', { setUri: services.changeSet.get(uri.toString()).uri });
    await until('the proposal is shown', () => activeEditor()?.document.uri.scheme === PROPOSAL);
  }
  await run('workbench.action.focusActiveEditorGroup');
  await hasLens(activeEditor().document.uri);
}

/** Accepts the changes as an asked review shows each. */
async function asked({ services, changes, widths, ended }) {
  const shown = {};
  for (const change of changes) {
    const { id } = await until('the daemon asks', () => services.pendingRequests.waiting.find(({ kind }) => kind === 'permission'));
    await run('placet.review');
    await until('the proposal has the focus', () => activeEditor()?.document.uri.scheme === PROPOSAL);
    await hasLens(activeEditor().document.uri);
    const texts = await accepted(widths, () => services.pendingRequests.waiting.every((request) => request.id !== id));
    shown[change.name] = { texts, written: (await written(change)).text };
  }
  assert.equal((await ended).stopReason, 'end_turn');
  return shown;
}

/** Accepts the changes of the change set, one file after the other. */
async function gathered({ services, changes, widths, ended, mode }) {
  const shown = {};
  assert.equal((await ended).stopReason, 'end_turn');
  await until('all changes are in the set', () => services.changeSet.files.length === changes.length);
  for (const change of changes) {
    const { uri } = change;
    await opened({ services, uri, isThere: mode === 'apply' || change.before !== null });
    const texts = await accepted(widths, () => !services.changeSet.get(uri.toString()));
    shown[change.name] = { texts, written: (await written(change)).text };
    await run('workbench.action.closeAllEditors');
  }
  return shown;
}

/** Returns, by the name of each change, the texts by the width of the window, and the text that the file has then. */
exports.run = async ({ mode, widths, changes }) => {
  let shown;
  const tests = {
    async 'the key is pressed where the text can be read'() {
      const services = await openServices();
      const placed = await Promise.all(
        changes.map(async ({ name, before, call }) => {
          const uri = before === null ? vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, name) : await put(name, before);
          return { name, before, uri, call: [call[0], { ...call[1], filePath: uri.fsPath }] };
        }),
      );
      const reads = placed.filter(({ before }) => before !== null).map(({ uri }) => read(uri));
      const session = await play(services, [...reads, ...placed.map(({ call }) => call)].map(called).concat({ events: [{ text: 'Done.' }] }));
      const ended = prompt(services, session, 'Change the files');
      const walk = mode === 'ask' ? asked : gathered;
      shown = await walk({ services, changes: placed, widths, ended, mode }).finally(() => user('wide', WINDOW_WIDTH));
    },
  };
  await runAll(tests, { settings: { 'placet.reviewMode': mode } });
  return shown;
};
