// What the suites share: named tests run one after the other, waiting for a condition, a model that plays a script.
const assert = require('node:assert/strict');
const fs = require('node:fs/promises');
const os = require('node:os');
const path = require('node:path');
const vscode = require('vscode');

// Nothing that goes well waits so long: a machine may be busy with other tests.
const WAIT_MILLISECONDS = 45_000;
const TEST_MILLISECONDS = 100_000;
const LOOK_MILLISECONDS = 20;

/** Runs the tests, an object of functions by name; fails with the names and reasons of those that failed. */
async function runAll(tests) {
  const failures = [];
  for (const [name, test] of Object.entries(tests)) {
    const start = performance.now();
    try {
      await withinTime(test());
      say(`ok ${name} (${Math.round(performance.now() - start)} ms)`);
    } catch (error) {
      failures.push(`${name}: ${error?.stack ?? error}`);
      say(`failed ${name}: ${error?.stack ?? error}`);
      await endTurns();
    }
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  }
  if (failures.length > 0) {
    throw new Error(`${failures.length} failed`);
  }
}

/** A test that hangs fails, and the others still run. */
async function withinTime(test) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('it did not end in time')), TEST_MILLISECONDS);
  });
  await Promise.race([test, late]);
  clearTimeout(timer);
}

/** What a failed test left running would be taken for the next one's. */
async function endTurns() {
  const extension = vscode.extensions.getExtension('placet.placet');
  if (!extension.isActive) {
    return;
  }
  const { pendingRequests, agent } = await extension.exports.services();
  for (const { request } of pendingRequests.waiting) {
    agent.notify('agent/cancel', { sessionId: request.sessionId });
  }
  const start = Date.now();
  while (pendingRequests.waiting.length > 0 && Date.now() - start < WAIT_MILLISECONDS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
  }
}

/** Tell whoever reads the test's output. */
function say(text) {
  console.log(`suite: ${text}`);
}

/** Have the user do something in the window, as soon as it can be done: `click` an item of a picker, `press` a key in one, `type` into a box, a `secret` into one that does not show it, `push` a button, `keys` anywhere, `write` where the focus is, `point` at what a selector finds, `see` it, or wait until it is `gone`. */
function user(verb, what) {
  say(`user ${verb} ${what}`);
}

/** The value of `look` once it is neither false nor absent. */
async function until(what, look, milliseconds = WAIT_MILLISECONDS) {
  const deadline = Date.now() + milliseconds;
  for (;;) {
    const value = await look();
    if (value) {
      return value;
    }
    assert.ok(Date.now() < deadline, `never so: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
  }
}

/** Once the user has trusted the folders of the window, unless they have already. */
async function trusted() {
  if (!vscode.workspace.isTrusted) {
    void vscode.commands.executeCommand('workbench.trust.manage');
    user('push', 'Trust');
    await until('it is trusted', () => vscode.workspace.isTrusted);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  }
}

/** The inside of the extension. */
async function openServices() {
  const extension = vscode.extensions.getExtension('placet.placet');
  return (await extension.activate()).services();
}

/** What VS Code does for the page of the chat that was used last. */
function hostOf({ host, chat, shownRequests }) {
  return host(chat.inUse.session, shownRequests.page());
}

/** A file of the folder that is open, with this text on the disk. */
async function put(name, text) {
  const uri = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, name);
  await fs.mkdir(path.dirname(uri.fsPath), { recursive: true });
  await fs.writeFile(uri.fsPath, text);
  // One of an earlier test with its name may still be known with another text.
  const known = () => vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
  await until(`${name} is read again`, () => (known() ?? { isDirty: true }).isDirty || known().getText() === text);
  return uri;
}

async function onDisk(uri) {
  return fs.readFile(uri.fsPath, 'utf8');
}

/** A new session whose model plays these turns; it is the window's session from now on. */
async function play(services, turns) {
  const directory = await fs.mkdtemp(path.join(os.tmpdir(), 'script-'));
  const script = path.join(directory, 'script.json');
  await fs.writeFile(script, JSON.stringify({ turns }));
  const session = await services.agent.request('agent/session/new', { model: `scripted/${script}` });
  services.session.set(session.id);
  return session.id;
}

function prompt(services, sessionId, text) {
  return services.agent.request('agent/prompt', { sessionId, parts: [{ type: 'text', text }] });
}

/** The daemon's process, unless it is being started anew. */
function pidOf(services) {
  const known = services.agent.status.state === 'ready' ? services.agent.request('agent/status', {}) : Promise.resolve({});
  return known.then(({ pid }) => pid, () => undefined);
}

/** Once another daemon runs than the one of before. */
const anotherThan = (services, pid) => until('the daemon is another', async () => ![undefined, pid].includes(await pidOf(services)));

/** Have the daemon started anew with the settings of the user. */
async function withSettings(services, settings) {
  await services.agent.start();
  const { pid } = await services.agent.request('agent/status', {});
  await vscode.workspace.getConfiguration('placet').update('settings', settings, vscode.ConfigurationTarget.Global);
  await anotherThan(services, pid);
}

/** The permission request that waits, once there is one. */
function asked(services) {
  return until('the daemon asks', () => services.pendingRequests.waiting.find((ask) => ask.kind === 'permission'));
}

function textOf(name) {
  return vscode.workspace.textDocuments.find((one) => one.uri.path.endsWith(`/${name}`))?.getText();
}

/** What the tool gave the model, by the events seen so far. */
function toolOutputs(events) {
  return events
    .filter((event) => event.update.kind === 'tool_call_update')
    .map((event) => event.update.part.state.output ?? event.update.part.state.error)
    .filter((output) => output !== undefined);
}

function openTabs() {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs).map((tab) => tab.label);
}

module.exports = { anotherThan, asked, assert, hostOf, onDisk, openServices, openTabs, play, prompt, put, runAll, say, textOf, toolOutputs, trusted, until, user, vscode, withSettings };
