// A window between two suites: brought back to what a fresh one is like, and compared with it.
const fs = require('node:fs/promises');
const path = require('node:path');
const vscode = require('vscode');
const { ChatUser } = require('./model.cjs');
const { beside, closeEditors, openServices, openTabs, readByUser, until } = require('./suites/harness.cjs');

const run = (command, ...parameters) => vscode.commands.executeCommand(command, ...parameters);
const chat = new ChatUser();

/** Files of a folder that are the window's, and no suite's. */
const KEPT = ['.git', '.vscode'];
/** The files of VS Code with settings. */
const SETTINGS = {
  'on the server': () => vscode.Uri.file(path.join(beside(), 'server/user/Machine/settings.json')),
  'in the folder': () => vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, '.vscode/settings.json'),
  'in the browser': () => vscode.Uri.from({ scheme: 'vscode-userdata', path: '/User/settings.json' }),
};

/** Brings the window back to what a fresh one is like, and returns what it is like then. */
async function tidied() {
  const services = await servicesIfReady();
  // What is still at work is left behind, and is not tidied up.
  await (services && until('no turn runs, and nothing waits for the user', () => isIdle(services)));
  await closeEditors();
  for (const terminal of vscode.window.terminals) {
    terminal.dispose();
  }
  await forgetWork(services);
  await forgetDocuments();
  await removeFiles();
  await closeRepositories();
  const placet = services && (await placetState(services));
  await run('notifications.clearAll');
  await run('notifications.hideList');
  await run('workbench.action.closePanel');
  await run('workbench.action.closeAuxiliaryBar');
  await run('workbench.view.explorer');
  const open = await readByUser('look');
  await run('workbench.action.closeSidebar');
  await run('workbench.action.focusActiveEditorGroup');
  return { ...(await editorState()), 'window with the explorer': open, 'window': await readByUser('look'), placet };
}

/** Returns what of the window differs from a fresh one, in words. `placet` is known where its daemon runs. */
function differences(now, fresh) {
  const expected = { ...fresh, ...NOTHING_IN_THE_EDITOR, placet: now.placet && { ...NOTHING_OF_PLACET, ...fresh.placet } };
  return flat(now, expected).map(([name, is, was]) => `${name}: ${is} instead of ${was}`);
}

/** What is not in a fresh window, also while VS Code still has its own files open there. */
const NOTHING_IN_THE_EDITOR = { tabs: [], unsaved: [], documents: [], terminals: [] };

/** What there is of Placet in a fresh window. */
const NOTHING_OF_PLACET = {
  session: null,
  mode: 'stage',
  sessions: [],
  grants: [],
  worktrees: [],
  changes: [],
  preferred: {},
  configuration: [],
  page: { title: 'New session', draft: '', chips: [], cards: 0 },
};

function flat(now, fresh, name = '') {
  const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
  if (isObject(now) && isObject(fresh)) {
    const names = [...new Set([...Object.keys(now), ...Object.keys(fresh)])];
    return names.flatMap((one) => flat(now[one], fresh[one], name ? `${name}, ${one}` : one));
  }
  const [is, was] = [now, fresh].map((value) => JSON.stringify(value));
  return is === was ? [] : [[name, is, was]];
}

function isIdle({ agent, pendingRequests }) {
  return agent.status.running.length === 0 && pendingRequests.waiting.length === 0;
}

async function servicesIfReady() {
  const extension = vscode.extensions.getExtension('placet.placet');
  if (!extension.isActive || !extension.exports.isOpen()) {
    return undefined;
  }
  const services = await openServices();
  await until('the daemon is not about to start', () => services.agent.status.state !== 'starting');
  return services.agent.status.state === 'ready' ? services : undefined;
}

/** Nothing that the suite did with Placet is left: its sessions and what was allowed. */
async function forgetWork(services) {
  if (!services) {
    return;
  }
  const { agent, session } = services;
  session.set(null);
  const { grants } = await agent.request('agent/permission/rules', {});
  await Promise.all(grants.map(({ id }) => agent.request('agent/permission/revoke', { id })));
  const { sessions } = await agent.request('agent/session/list', { limit: 1000 });
  await Promise.all(sessions.map(({ id }) => agent.request('agent/session/delete', { sessionId: id })));
}

/** So many documents without a tab VS Code keeps at most for the extensions that opened them. */
const MOST_KEPT = 60;
/** More at once would take each other's place. */
const AT_ONCE = 20;
let forgotten = 0;

/** VS Code forgets the documents that suites or the daemon have opened without a tab, as younger ones take their place. */
async function forgetDocuments() {
  const empty = vscode.workspace.registerTextDocumentContentProvider('nothing', { provideTextDocumentContent: () => '' });
  for (let opened = 0; filesKnown().length > 0 && opened <= MOST_KEPT; opened += AT_ONCE) {
    const more = Array.from({ length: AT_ONCE }, () => vscode.Uri.from({ scheme: 'nothing', path: `/${++forgotten}` }));
    await Promise.all(more.map((uri) => vscode.workspace.openTextDocument(uri)));
  }
  empty.dispose();
}

/** The files of which VS Code, and the daemon with it, has the text. */
function filesKnown() {
  return vscode.workspace.textDocuments.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.path);
}

async function removeFiles() {
  for (const { uri } of vscode.workspace.workspaceFolders) {
    const names = (await fs.readdir(uri.fsPath)).filter((name) => !KEPT.includes(name));
    await Promise.all(names.map((name) => fs.rm(path.join(uri.fsPath, name), { recursive: true })));
  }
}

/** The repository of a suite is an empty folder again, as in a fresh window, and VS Code knows of none. */
async function closeRepositories() {
  const git = path.join(vscode.workspace.workspaceFolders[0].uri.fsPath, '.git');
  await Promise.all((await fs.readdir(git)).map((name) => fs.rm(path.join(git, name), { recursive: true })));
  for (const repository of repositories()) {
    await repository.status().catch(() => undefined);
  }
  await until('VS Code knows of no repository', () => repositories().length === 0);
}

function repositories() {
  const extension = vscode.extensions.getExtension('vscode.git');
  return extension?.isActive && extension.exports.enabled ? extension.exports.getAPI(1).repositories : [];
}

async function editorState() {
  const read = (uri) => vscode.workspace.fs.readFile(uri).then((bytes) => JSON.parse(Buffer.from(bytes).toString()), () => ({}));
  const settings = Object.entries(SETTINGS).map(async ([where, uri]) => [where, await read(uri())]);
  return {
    tabs: openTabs(),
    unsaved: vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty).map(({ uri }) => uri.toString()),
    documents: filesKnown(),
    groups: vscode.window.tabGroups.all.length,
    terminals: vscode.window.terminals.map(({ name }) => name),
    folders: vscode.workspace.workspaceFolders.map(({ name }) => name),
    settings: Object.fromEntries(await Promise.all(settings)),
    // VS Code has variables of its own for each extension host.
    environment: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VSCODE_'))),
  };
}

async function placetState({ agent, session, reviewMode, changeSet, preferences }) {
  const { sessions } = await agent.request('agent/session/list', { limit: 1000 });
  const { grants } = await agent.request('agent/permission/rules', {});
  const { worktrees } = await agent.request('agent/worktree/list', {});
  await run('placet.chat.focus');
  await chat.clear();
  return {
    session: session.id ?? null,
    mode: reviewMode.current,
    sessions: sessions.map(({ title }) => title),
    grants: grants.map(({ patterns }) => patterns),
    worktrees: worktrees.map(({ name }) => name),
    changes: changeSet.files.map(({ uri }) => uri),
    preferred: JSON.parse(JSON.stringify(preferences.current)),
    configuration: await configuration(),
    page: await chat.look(),
  };
}

/** The files that the daemon keeps for the user, such as keys; the grants in a file are known by themselves. */
async function configuration() {
  const names = await fs.readdir(path.join(process.env.XDG_CONFIG_HOME, 'placet')).catch(() => []);
  return names.filter((name) => !name.endsWith('.lock') && name !== 'grants.json').sort();
}

module.exports = { differences, tidied };
