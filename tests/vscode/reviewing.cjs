// What the suites of reviews say: turns that propose changes, and what of a review is on the screen.
const { assert, openServices, openTabs, play, prompt, until, vscode } = require('./suites/harness.cjs');

const PROPOSAL = 'placet-proposal';
const GAP = '\n'.repeat(6);
const text = (a, b, c) => `FIRST = ${a}\n${GAP}SECOND = ${b}\n${GAP}THIRD = ${c}\n`;

const add = (name, content) => `*** Add File: ${name}\n${content.map((line) => `+${line}\n`).join('')}`;
const remove = (name) => `*** Delete File: ${name}\n`;
const update = (name, old, now) => `*** Update File: ${name}\n@@\n-${old}\n+${now}\n`;
const move = (name, to, old, now) => update(name, old, now).replace('@@', `*** Move to: ${to}\n@@`);
const patch = (...parts) => ['apply_patch', { patchText: `*** Begin Patch\n${parts.join('')}*** End Patch` }];
const read = (uri) => ['read', { filePath: uri.fsPath }];
const write = (uri, content) => ['write', { filePath: uri.fsPath, content }];

/** Runs a turn in which the model makes these calls, one after the other; `outputs` is what the tools told it. */
async function turnOf(services, ...calls) {
  const turns = calls.map(([call, given]) => ({ events: [{ call, arguments: given }] }));
  const session = await play(services, [...turns, { events: [{ text: 'Done.' }] }]);
  const outputs = [];
  const listening = services.agent.onUpdate(({ update }) => {
    const state = update.kind === 'tool_call_update' ? update.part.state : {};
    outputs.push(...[state.output, state.error].filter(Boolean));
  });
  const ended = prompt(services, session, 'Do it').finally(() => listening.dispose());
  return { ended, outputs };
}

const run = (command, ...parameters) => vscode.commands.executeCommand(command, ...parameters);

/** The editor of a proposal by its file's name, once it is there. */
const proposal = (name) =>
  until(`the proposal of ${name} is shown`, () =>
    vscode.window.visibleTextEditors.find(({ document: { uri } }) => uri.scheme === PROPOSAL && uri.path.endsWith(`/${name}`)),
  );

const focused = (name) =>
  until(`${name} has the focus`, () => vscode.window.activeTextEditor?.document.uri.path.endsWith(`/${name}`));

const cursorAt = (line) =>
  until(`the cursor is in line ${line}`, () => vscode.window.activeTextEditor?.selection.active.line === line);

/** The files of the change set for which a call waits, once they have so many hunks, such as `3 1`. */
const waits = (services, wanted) =>
  until(`the waiting files have hunks: ${wanted}`, () => {
    const files = services.changeSet.files.filter((file) => file.waits);
    return files.map(({ hunks }) => hunks.length).join(' ') === wanted && files;
  });

/** The target of a command: a hunk of the file, or the file. */
function targetOf({ uri, sessionId, hunks }, hunk) {
  const { oldLines, newLines } = hunks[hunk] ?? {};
  return { setUri: uri, sessionId, ...(newLines && { key: `0 ${JSON.stringify([oldLines, newLines])}` }) };
}

const labels = (services, group) => services.changes.resources(group).map(({ resourceUri }) => resourceUri.path.split('/').at(-1)).sort();

/** Accepts all that the session has proposed, and keeps what a command has written, as a user who has looked at the list. */
async function acceptAll(services) {
  const list = () => services.agent.request('agent/review/list', { sessionId: services.session.id }).then(({ files }) => files.length);
  const count = await list();
  assert.ok(count > 0, 'there is something to accept');
  await until('all is listed', () => services.changeSet.files.length === count);
  await run('placet.review.acceptAll');
  if (services.changeSet.files.some(({ state }) => state === 'unreviewed')) {
    await run('placet.changeSet.keepAll');
  }
  await until('all is accepted', async () => (await list()) === 0 && services.changeSet.files.length === 0);
}

/** Once no tab is left; a failure tells which is, and what is not saved. */
async function closed() {
  const unsaved = () => vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty).map(({ uri }) => uri.toString());
  await until('the review is closed', () => openTabs().length === 0).catch((error) => {
    throw new Error(`${error.message}; tabs: ${openTabs().join(', ')}; unsaved: ${unsaved().join(', ')}`);
  });
}

/** Whatever a test leaves unanswered is no concern of the next. */
const alone = (tests) =>
  Object.fromEntries(
    Object.entries(tests).map(([name, test]) => [
      name,
      () =>
        test().finally(async () => {
          const { pendingRequests, agent } = await openServices();
          pendingRequests.waiting.forEach(({ id }) => pendingRequests.answer(id, { outcome: 'reject' }));
          await until('no turn runs', () => agent.status.running.length === 0);
        }),
    ]),
  );

module.exports = { acceptAll, closed, PROPOSAL, GAP, text, add, remove, update, move, patch, read, write, turnOf, run, proposal, focused, cursorAt, waits, targetOf, labels, alone };
