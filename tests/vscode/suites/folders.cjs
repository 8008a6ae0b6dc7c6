// A window of two folders: each file has its own root, and folders come and go.
const { anotherThan, asked, assert, hostOf, inMode, onDisk, openServices, play, prompt, runAll, until, vscode } = require('./harness.cjs');
const { acceptAll } = require('../reviewing.cjs');

const folder = (number) => vscode.workspace.workspaceFolders[number].uri;

async function write(number, name, text) {
  const uri = vscode.Uri.joinPath(folder(number), name);
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  return uri;
}

exports.run = () =>
  runAll({
    async 'the daemon is handed every folder'() {
      const services = await openServices();
      const { roots } = await services.agent.request('agent/session/new', {});
      assert.deepEqual(roots, vscode.workspace.workspaceFolders.map(({ uri }) => uri.toString()));
    },

    'a file of the second folder is asked for by its own root, and edited there': inMode('ask', async () => {
      const services = await openServices();
      await write(0, 'same.py', 'FIRST = 1\n');
      const uri = await write(1, 'same.py', 'SECOND = 1\n');
      const session = await play(services, [
        { events: [{ call: 'read', arguments: { filePath: uri.fsPath } }] },
        { events: [{ call: 'edit', arguments: { filePath: uri.fsPath, oldString: 'SECOND = 1', newString: 'SECOND = 2' } }] },
        { events: [{ text: 'Done.' }] },
      ]);
      const turn = prompt(services, session, 'Edit the second');
      const ask = await asked(services);
      assert.equal(ask.request.title, 'Edit second/same.py');
      assert.deepEqual(ask.request.patterns, ['same.py']);
      services.pendingRequests.answer(ask.id, { outcome: 'once' });
      assert.equal((await turn).stopReason, 'end_turn');
      assert.equal(await onDisk(uri), 'SECOND = 2\n');
      assert.equal(await onDisk(vscode.Uri.joinPath(folder(0), 'same.py')), 'FIRST = 1\n');
    }),

    async 'a file of the second folder is listed by its own root, and edited there once it is accepted'() {
      const services = await openServices();
      await write(0, 'listed.py', 'FIRST = 1\n');
      const uri = await write(1, 'listed.py', 'SECOND = 1\n');
      const session = await play(services, [
        { events: [{ call: 'read', arguments: { filePath: uri.fsPath } }] },
        { events: [{ call: 'edit', arguments: { filePath: uri.fsPath, oldString: 'SECOND = 1', newString: 'SECOND = 2' } }] },
        { events: [{ text: 'Done.' }] },
      ]);
      await prompt(services, session, 'Edit the second');
      await until('it is listed', () => services.changeSet.files.map((file) => file.uri).join() === uri.toString());
      await acceptAll(services);
      assert.equal(await onDisk(uri), 'SECOND = 2\n');
      assert.equal(await onDisk(vscode.Uri.joinPath(folder(0), 'listed.py')), 'FIRST = 1\n');
    },

    async 'the lightbulb names a file of the second folder so that it is found'() {
      const services = await openServices();
      await services.agent.start();
      await write(0, 'both.py', 'FIRST = 1\n');
      const uri = await write(1, 'both.py', 'HERE = 1\n');
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
      const found = await vscode.commands.executeCommand('vscode.executeCodeActionProvider', uri, new vscode.Range(0, 0, 0, 4));
      const explain = found.find((one) => one.title === 'Explain with Placet');
      await play(services, [{ events: [{ text: 'It is one.' }] }]);
      await vscode.commands.executeCommand(explain.command.command, ...explain.command.arguments);
      const { events } = await services.agent.request('agent/session/load', { sessionId: services.session.id });
      const { message } = events.find(({ update }) => update.kind === 'user_message').update;
      assert.match(JSON.stringify(message.parts), /HERE = 1/);
      assert.doesNotMatch(JSON.stringify(message.parts), /FIRST = 1/);
    },

    async 'what is dropped from the second folder is mentioned so that it is found'() {
      const services = await openServices();
      await write(0, 'dropped.py', 'FIRST = 1\n');
      const uri = await write(1, 'dropped.py', 'SECOND = 1\n');
      const [name] = await hostOf(services).serve('host/mentions', { uris: [uri.toString()] });
      const session = await play(services, [{ events: [{ text: 'It is one.' }] }]);
      await prompt(services, session, `What is in @${name}?`);
      const { events } = await services.agent.request('agent/session/load', { sessionId: session });
      const parts = events.filter(({ update }) => update.kind === 'user_message').map(({ update }) => update.message.parts);
      assert.match(JSON.stringify(parts), /SECOND = 1/);
      assert.doesNotMatch(JSON.stringify(parts), /FIRST = 1/);
    },

    async 'a folder that is added is there for new sessions, and one that is removed is not, without a command'() {
      const services = await openServices();
      await services.agent.start();
      const { pid } = await services.agent.request('agent/status', {});
      const third = vscode.Uri.joinPath(folder(0), '..', 'third');
      await vscode.workspace.fs.createDirectory(third);
      vscode.workspace.updateWorkspaceFolders(2, 0, { uri: third });
      await until('it is there', () => vscode.workspace.workspaceFolders.length === 3);
      await anotherThan(services, pid);
      assert.ok((await services.agent.request('agent/session/new', {})).roots.includes(third.toString()));
      vscode.workspace.updateWorkspaceFolders(2, 1);
      await until('it is gone', async () => {
        const { roots } = await services.agent.request('agent/session/new', {}).catch(() => ({ roots: [third.toString()] }));
        return !roots.includes(third.toString());
      });
    },

    async 'a turn that runs is not ended by a folder that is added'() {
      const services = await openServices();
      const { pid } = await services.agent.request('agent/status', {});
      const session = await play(services, [
        { events: [{ call: 'bash', arguments: { command: 'touch ran.txt', description: 'Make a file' } }] },
        { events: [{ text: 'Done.' }] },
      ]);
      const turn = prompt(services, session, 'Run it');
      const ask = await asked(services);
      const third = vscode.Uri.joinPath(folder(0), '..', 'third');
      vscode.workspace.updateWorkspaceFolders(2, 0, { uri: third });
      await until('it is there', () => vscode.workspace.workspaceFolders.length === 3);
      assert.equal((await services.agent.request('agent/status', {})).pid, pid);
      services.pendingRequests.answer(ask.id, { outcome: 'once' });
      assert.equal((await turn).stopReason, 'end_turn');
      await anotherThan(services, pid);
      const another = await services.agent.request('agent/status', {});
      vscode.workspace.updateWorkspaceFolders(2, 1);
      await anotherThan(services, another.pid);
    },
  });
