// What the suites share: named tests run one after the other, waiting for a condition, a model that plays a script.
const assert = require('node:assert/strict');
const fs = require('node:fs/promises');
const os = require('node:os');
const path = require('node:path');
const vscode = require('vscode');
const { waitMilliseconds } = require('../patience.cjs');

const LOOK_MILLISECONDS = 20;

/** The last thing that happened in the window, and when: a failure tells of it. */
let last = { what: 'nothing', at: Date.now() };
/** Pictures of failures so far. */
let failures = 0;

function happened(what) {
  last = { what, at: Date.now() };
}

const lastThing = () => `the last thing that happened, ${((Date.now() - last.at) / 1000).toFixed(1)} s before: ${last.what}`;

/**
 * Runs the tests, an object of functions by name; fails with the names and reasons of those that failed. `settings` are
 * the user's during all of them, by name. What the tests have changed of the settings is put back after each test.
 */
async function runAll(tests, { settings = {} } = {}) {
  const failed = [];
  await withUserSettings(settings, async () => {
    for (const [name, test] of Object.entries(tests)) {
      const start = performance.now();
      try {
        await withUserSettings({}, () => whileThingsHappen(test));
        say(`ok ${name} (${Math.round(performance.now() - start)} ms)`);
      } catch (error) {
        await pictureOfFailure(name);
        failed.push(`${name}: ${error?.stack ?? error}`);
        say(`failed ${name}: ${error?.stack ?? error}`);
        await endTurns();
      }
      await forgetKills();
      await closeEditors();
    }
  });
  if (failed.length > 0) {
    throw Object.assign(new Error(`${failed.length} failed:\n${failed.join('\n')}`), { isPictured: true });
  }
}

/** A test that waits for something without a limit fails once nothing has happened for twice the time of a wait. */
async function whileThingsHappen(test) {
  happened('the test began');
  let timer;
  const stuck = new Promise((_, reject) => {
    const look = () => {
      const quiet = Date.now() - last.at;
      if (quiet > 2 * waitMilliseconds()) {
        reject(new Error(`the test does not end; ${lastThing()}`));
      } else {
        timer = setTimeout(look, LOOK_MILLISECONDS);
      }
    };
    look();
  });
  try {
    await Promise.race([test(), stuck]);
  } finally {
    clearTimeout(timer);
  }
}

/** Has a picture of the window taken as it is at the failure, and waits for it. */
async function pictureOfFailure(name) {
  const file = path.join(beside(), `failed-${++failures}-${name.replaceAll(/\W+/g, '-').slice(0, 60)}.png`);
  say(`runner fails ${file}`);
  await until('the picture of the failure is taken', () => fs.stat(file).then(({ size }) => size > 0, () => false)).catch(({ message }) => say(message));
}

/** Close all editors, with nothing saved. */
async function closeEditors() {
  for (const document of vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty)) {
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  }
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
}

/** Never ends: the window is reloaded, and the suite is run again in it. */
async function reloadWindow() {
  user('reload', 'the window');
  await new Promise((resolve) => setTimeout(resolve, 2 * waitMilliseconds()));
  throw new Error('the window was not loaded again');
}

/** What a failed test left running would be taken for the next one's. */
async function endTurns() {
  const extension = vscode.extensions.getExtension('placet.placet');
  if (!extension.isActive || !extension.exports.isOpen()) {
    return;
  }
  const { pendingRequests, agent } = await extension.exports.services();
  for (const { request } of pendingRequests.waiting) {
    agent.notify('agent/cancel', { sessionId: request.sessionId });
  }
  await until('nothing waits any more', () => pendingRequests.waiting.length === 0).catch(({ message }) => say(message));
}

/** Tell whoever reads the test's output. */
function say(text) {
  happened(text);
  console.log(`suite: ${text}`);
}

/** Have the user do something in the window, as soon as it can be done: `click` an item of a picker, `press` a key in one, `type` into a box, a `secret` into one that does not show it, `push` a button, `keys` anywhere, `write` where the focus is, `point` at what a selector finds, `see` it, or wait until it is `gone`. */
function user(verb, what) {
  say(`user ${verb} ${what}`);
}

/** The value of `look` once it is neither false nor absent. */
async function until(what, look, milliseconds = waitMilliseconds()) {
  const start = Date.now();
  for (;;) {
    const value = await look();
    if (value) {
      happened(`so: ${what}`);
      return value;
    }
    assert.ok(Date.now() - start < milliseconds, `not so after ${((Date.now() - start) / 1000).toFixed(1)} s: ${what}; ${lastThing()}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
  }
}

/** The folder of the window's own files, beside the folder that is open. */
function beside() {
  return path.dirname(vscode.workspace.workspaceFolders[0].uri.fsPath);
}

/** Whether the process runs: one that has ended stays in the table of processes until its parent asks for it. */
async function isAlive(pid) {
  const stat = await fs.readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name of the program, in parentheses, may hold anything.
  const state = stat.slice(stat.lastIndexOf(')') + 2)[0];
  return state !== undefined && state !== 'Z';
}

let readings = 0;

/** What the user reads in the window, by a verb that writes it into a file as JSON. */
async function readByUser(verb) {
  const file = path.join(beside(), `read-${verb}-${process.pid}-${++readings}.json`);
  user(verb, file);
  // A measurement of 0 is a reading too.
  const read = () => fs.readFile(file, 'utf8').then((written) => ({ value: JSON.parse(written) }), () => undefined);
  return (await until(`the user has read: ${verb}`, read)).value;
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

let isHeard = false;

/** The inside of the extension. */
async function openServices() {
  const extension = vscode.extensions.getExtension('placet.placet');
  const services = await (await extension.activate()).services();
  if (!isHeard) {
    isHeard = true;
    services.agent.onUpdate(({ sessionId, update }) => happened(`${update.kind} of ${sessionId}`));
    services.agent.onStatus(({ state, running, waiting }) => happened(`the daemon is ${state}, ${running.length} turns run, ${waiting} requests wait`));
  }
  return services;
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

let wasKilled = false;

/** Kills the daemon, and returns which process it was. */
async function killDaemon(services) {
  const { pid } = await services.agent.request('agent/status', {});
  wasKilled = true;
  process.kill(pid, 'SIGKILL');
  return pid;
}

/** The extension waits longer after each death of a daemon, unless the user has it started anew. */
async function forgetKills() {
  if (wasKilled) {
    wasKilled = false;
    await (await openServices()).agent.startAgain();
  }
}

/** Once another daemon runs than the one of before. */
const anotherThan = (services, pid) => until('the daemon is another', async () => ![undefined, pid].includes(await pidOf(services)));

/** The values before the first change of each setting, of the suite and of the test that runs: the newest is the last. */
const changed = [];

/** Does the work with the settings of the user, by name; then all that was changed meanwhile by `setUser` is as before. */
async function withUserSettings(settings, work) {
  changed.push(new Map());
  try {
    await setUser(settings);
    return await work();
  } finally {
    const before = Object.fromEntries(changed.at(-1));
    await setUser(before);
    changed.pop();
  }
}

/**
 * Changes settings of the user, by name, until the end of the test, or of the suite around the tests. Where a running
 * daemon has to start anew for one of them, it has.
 */
async function setUser(settings) {
  const configuration = vscode.workspace.getConfiguration();
  const present = (name) => configuration.inspect(name)?.globalValue;
  const others = Object.entries(settings).filter(([name, value]) => JSON.stringify(present(name)) !== JSON.stringify(value));
  for (const [name, value] of others) {
    const before = changed.at(-1);
    if (!before.has(name)) {
      before.set(name, present(name));
    }
    const extension = vscode.extensions.getExtension('placet.placet');
    const services = STARTS_ANEW.includes(name) && extension.isActive && extension.exports.isOpen() ? await openServices() : undefined;
    const pid = services && (await pidOf(services));
    await configuration.update(name, value, vscode.ConfigurationTarget.Global);
    if (pid !== undefined) {
      await until('the daemon of before has ended', async () => (await pidOf(services)) !== pid);
    }
  }
}

/** The settings with which a daemon starts. */
const STARTS_ANEW = ['placet.settings', 'placet.command'];

/** The user's settings of Placet itself with these in addition. */
function settingsWith(more) {
  const { globalValue } = vscode.workspace.getConfiguration('placet').inspect('settings');
  return { 'placet.settings': { ...globalValue, ...more } };
}

/** The test, in a review mode that is not the default. */
const inMode = (mode, test) => () => withUserSettings({ 'placet.reviewMode': mode }, test);

/** Removes files of the daemon's configuration, such as keys, which a suite has made. */
async function removeConfiguration(...names) {
  await Promise.all(names.map((name) => fs.rm(path.join(process.env.XDG_CONFIG_HOME, 'placet', name), { force: true })));
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

module.exports = { anotherThan, asked, assert, beside, closeEditors, hostOf, inMode, isAlive, killDaemon, onDisk, openServices, openTabs, pictureOfFailure, play, prompt, put, readByUser, reloadWindow, removeConfiguration, runAll, say, settingsWith, setUser, textOf, toolOutputs, trusted, until, user, vscode, withUserSettings };
