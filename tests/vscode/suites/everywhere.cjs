// Placet where there is no chat: the lightbulb, a prompt in the text, menus, links, terminals, other agents.
const { asked, assert, inMode, openServices, play, prompt, put, runAll, say, until, user, vscode } = require('./harness.cjs');
const { acceptAll } = require('../reviewing.cjs');

const SAVED = 'def area(w, h):\n    return w * h\n';
const read = (uri) => ({ events: [{ call: 'read', arguments: { filePath: uri.fsPath } }] });
const edit = (uri, oldString, newString) => ({ events: [{ call: 'edit', arguments: { filePath: uri.fsPath, oldString, newString } }] });
const done = { events: [{ text: 'Done.' }] };

async function show(uri, selection) {
  const document = await vscode.workspace.openTextDocument(uri);
  const editor = await vscode.window.showTextDocument(document);
  if (selection) {
    editor.selection = selection;
  }
  return editor;
}

/** The prompts of the session, as the daemon keeps them. */
async function prompts(services) {
  const { events } = await services.agent.request('agent/session/load', { sessionId: services.session.id });
  return events.filter(({ update }) => update.kind === 'user_message').map(({ update }) => update.message);
}

/** As a quick user types. */
const LETTER_MILLISECONDS = 60;
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const textOf = (message) => message.parts.map((part) => part.text ?? '').join('\n');

async function actionsAt(uri, range) {
  const found = await vscode.commands.executeCommand('vscode.executeCodeActionProvider', uri, range);
  return found.filter((one) => one.title.includes('Placet'));
}

/**
 * Another extension's server: it judges Ruby at once, and finds nothing in what was changed. As long as the window is
 * there: who has judged a language once is waited for from then on. No other suite has files of the language.
 */
const others = vscode.languages.createDiagnosticCollection('other');
vscode.workspace.onDidChangeTextDocument(({ document }) => document.languageId === 'ruby' && others.set(document.uri, []));

exports.run = () =>
  runAll({
    async 'every command that is offered does something'() {
      const services = await openServices();
      const { commands } = vscode.extensions.getExtension('placet.placet').packageJSON.contributes;
      assert.deepEqual(commands.filter(({ command }) => !services.commands[command]), []);
    },

    async 'the lightbulb has what any other server says, and its fix is reviewed where the user is'() {
      const services = await openServices();
      await services.agent.start();
      const uri = await put('bulb.rb', SAVED);
      const editor = await show(uri);
      const place = new vscode.Range(1, 4, 1, 10);
      const diagnostic = new vscode.Diagnostic(place, 'no type is told', vscode.DiagnosticSeverity.Warning);
      diagnostic.source = 'another-server';
      others.set(uri, [diagnostic]);
      const actions = await until('the lightbulb', async () => {
        const found = await actionsAt(uri, place);
        return found.length >= 2 && found;
      });
      say(actions.map((one) => one.title).join(' | '));
      const fix = actions.find((one) => one.title === 'Fix with Placet: no type is told');
      assert.ok(fix);
      assert.ok(actions.some((one) => one.title === 'Explain with Placet: no type is told'));
      await play(services, [read(uri), edit(uri, 'w, h', 'w: int, h: int'), done]);
      await vscode.commands.executeCommand(fix.command.command, ...fix.command.arguments);
      const lenses = () => vscode.commands.executeCommand('vscode.executeCodeLensProvider', uri, 10);
      await until('the change is shown in the file', async () => (await lenses()).some(({ command }) => command?.title.includes('Accept')));
      await acceptAll(services);
      assert.match(editor.document.getText(), /w: int, h: int/);
      const [message] = await prompts(services);
      assert.match(textOf(message), /no type is told \(another-server\)/);
      assert.match(textOf(message), /@bulb\.rb#L2/);
      others.delete(uri);
    },

    async 'a selection without a diagnostic can be explained and asked about'() {
      const services = await openServices();
      await services.agent.start();
      const uri = await put('selected.rb', SAVED);
      await show(uri);
      const place = new vscode.Range(0, 0, 1, 4);
      const titles = (await actionsAt(uri, place)).map((one) => one.title);
      assert.deepEqual(titles.sort(), ['Ask Placet about this…', 'Explain with Placet']);
      assert.deepEqual(await actionsAt(uri, new vscode.Range(0, 0, 0, 0)), []);
    },

    async 'a prompt at the cursor needs no panel: its change is reviewed and made'() {
      const services = await openServices();
      const uri = await put('here.rb', SAVED);
      const editor = await show(uri, new vscode.Selection(1, 0, 1, 0));
      await play(services, [read(uri), edit(uri, 'w * h', 'abs(w * h)'), done]);
      user('type', 'never negative');
      const report = await vscode.commands.executeCommand('placet.askHere');
      assert.equal(report.result.stopReason, 'end_turn');
      assert.equal(services.chat.isVisible, false);
      await acceptAll(services);
      assert.match(editor.document.getText(), /abs\(w \* h\)/);
      const [message] = await prompts(services);
      const part = message.parts.find((one) => one.type === 'file');
      assert.deepEqual(part.range, { start: 2, end: 2 });
      assert.equal(part.uri, uri.toString());
    },

    'a prompt at the cursor shows the change that is asked, and reports what was changed': inMode('ask', async () => {
      const services = await openServices();
      const uri = await put('asked.rb', SAVED);
      await show(uri, new vscode.Selection(1, 0, 1, 0));
      await play(services, [read(uri), edit(uri, 'w * h', 'abs(w * h)'), done]);
      user('type', 'never negative');
      const running = vscode.commands.executeCommand('placet.askHere');
      const ask = await asked(services);
      assert.ok(ask.request.changeId);
      await until('the change is shown', () => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).length > 1);
      assert.equal(services.chat.isVisible, false);
      services.pendingRequests.answer(ask.id, { outcome: 'once' });
      assert.deepEqual((await running).changed, [uri.toString()]);
    }),

    async 'what is wrong at the cursor is mended by a command, without the lightbulb'() {
      const services = await openServices();
      const uri = await put('fixed.rb', SAVED);
      await show(uri, new vscode.Selection(1, 0, 1, 0));
      others.set(uri, [new vscode.Diagnostic(new vscode.Range(1, 4, 1, 10), 'say what it is')]);
      await play(services, [done]);
      await vscode.commands.executeCommand('placet.fix');
      assert.match(textOf((await prompts(services))[0]), /Fix this problem in @fixed\.rb#L2: say what it is/);
      await play(services, [done]);
      await vscode.commands.executeCommand('placet.explain');
      assert.match(textOf((await prompts(services))[0]), /Explain this problem/);
      others.delete(uri);
    },

    async 'agent and model are chosen by name, as the completion of a prompt has it'() {
      const services = await openServices();
      await play(services, [done]);
      await vscode.commands.executeCommand('placet.agent', 'plan');
      await vscode.commands.executeCommand('placet.model', 'builtin/rules');
      const { session } = await services.agent.request('agent/session/load', { sessionId: services.session.id });
      assert.equal(session.agent, 'plan');
      assert.equal(session.model, 'builtin/rules');
      await services.preferences.prefer({ model: undefined, over: undefined });
    },

    async 'sessions are begun, forked, exported and gone back to by commands and links'() {
      const services = await openServices();
      const first = await play(services, [done]);
      await prompt(services, first, 'Remember the heron');
      await vscode.commands.executeCommand('placet.export');
      assert.match(vscode.window.activeTextEditor.document.getText(), /heron/);
      await vscode.commands.executeCommand('placet.fork');
      const copy = await until('the copy is the session', () => services.session.id !== first && services.session.id);
      await vscode.commands.executeCommand('placet.new');
      await until('none is open', () => services.session.id === undefined);
      await vscode.commands.executeCommand('placet.openUri', vscode.Uri.parse(`vscode://placet.placet/session/${first}`));
      await until('the chat has gone there', () => services.session.id === first).catch((error) => { throw new Error(`${error.message}: at ${services.session.id}, of ${first} and ${copy}`); });
      await until('the chat shows it', () => services.chat.isVisible);
      await vscode.commands.executeCommand('workbench.action.closeSidebar');
    },

    async 'a session is renamed, found by a word, exported and deleted in the tree'() {
      const services = await openServices();
      const tree = services.trees['placet.sessions'];
      const titles = async () => (await tree.roots()).map(({ item }) => item.label);
      const line = (title) => until(`${title} is listed`, async () => (await tree.roots()).find(({ item }) => item.label === title));
      await services.agent.request('agent/session/new', { title: 'Herons' });
      user('type', 'Storks of the marsh');
      await vscode.commands.executeCommand('placet.sessions.rename', await line('Herons'));
      assert.ok(!(await titles()).includes('Herons'));
      user('type', 'marsh');
      await vscode.commands.executeCommand('placet.sessions.search');
      assert.deepEqual(await titles(), ['Storks of the marsh']);
      await vscode.commands.executeCommand('placet.sessions.all');
      assert.ok((await titles()).length > 1);
      await vscode.commands.executeCommand('placet.sessions.export', await line('Storks of the marsh'));
      assert.match(vscode.window.activeTextEditor.document.getText(), /Storks of the marsh/);
      // VS Code shows no modal dialogue in a window under test, so nobody can say yes to it.
      const storks = await line('Storks of the marsh');
      await vscode.commands.executeCommand('placet.sessions.delete', storks).then(undefined, () => undefined);
      assert.ok((await titles()).includes('Storks of the marsh'), 'nothing is deleted without a yes');
      await services.agent.request('agent/session/delete', { sessionId: storks.subject.id });
      assert.ok(!(await titles()).includes('Storks of the marsh'));
    },

    async 'a terminal goes on with the session'() {
      const services = await openServices();
      const sessionId = await play(services, [done]);
      await vscode.commands.executeCommand('placet.continueInTerminal');
      const terminal = await until('the terminal', () => vscode.window.terminals.find(({ name }) => name === 'Placet'));
      assert.ok(terminal);
      terminal.dispose();
      assert.ok(sessionId);
    },

    'another agent of the editor can have a change proposed, and asks how it stands': inMode('ask', async () => {
      const services = await openServices();
      const token = new vscode.CancellationTokenSource().token;
      const uri = await put('tool.rb', SAVED);
      const textIn = (result) => result.content.map((part) => part.value).join('');
      const sessionId = await play(services, [read(uri), edit(uri, 'w * h', 'h * w'), done]);
      const turn = prompt(services, sessionId, 'Turn it round');
      const ask = await asked(services);
      const waiting = textIn(await services.tools.invoke('get_review_status', {}, token));
      assert.match(waiting, /waits for the user's answer/);
      services.pendingRequests.answer(ask.id, { outcome: 'once' });
      await turn;
      // An editor that answers the edit late on a busy machine leaves the change unsure until then.
      await until('the change is applied', async () => /applied: tool\.rb/.test(textIn(await services.tools.invoke('get_review_status', {}, token))));
      const told = textIn(await services.tools.invoke('get_fresh_diagnostics', { filePaths: [uri.fsPath] }, token));
      assert.match(told, /tool\.rb/);
      const { confirmationMessages } = services.tools.prepare('propose_change_set', { instructions: 'Add a test' });
      assert.match(confirmationMessages.message, /Add a test/);
      const proposed = textIn(await services.tools.invoke('propose_change_set', { instructions: 'help' }, token));
      assert.match(proposed, /No file was changed/);
    }),

    async '@placet streams its answer into the chat of the editor, and keeps its session'() {
      const services = await openServices();
      const said = [];
      const stream = {
        markdown: (text) => said.push(text),
        progress: (text) => said.push(`(${text})`),
        reference: (uri) => said.push(uri.toString()),
        button: ({ command }) => said.push(command),
      };
      const token = new vscode.CancellationTokenSource().token;
      const request = { prompt: 'help', references: [], command: undefined };
      const result = await services.participant.handle(request, { history: [] }, stream, token);
      assert.match(result.metadata.sessionId, /^ses_/);
      assert.equal(result.errorDetails, undefined);
      assert.ok(said.length > 1, said.join('|'));
      assert.ok(said.includes('placet.openSession'));
      say(`chat of its own: ${Boolean(vscode.chat?.createChatParticipant)}; tools: ${Boolean(vscode.lm?.registerTool)}`);
    },

    async 'the file that is typed in while it is edited keeps every letter'() {
      const services = await openServices();
      const uri = await put('meanwhile.rb', `${SAVED}\n\n\n\n\n\n`);
      const editor = await show(uri, new vscode.Selection(6, 0, 6, 0));
      const letters = 'abcdefghijklmnopqrstuvwxyz';
      await play(services, [read(uri), edit(uri, 'w * h', 'h * w'), done]);
      await prompt(services, services.session.id, 'Turn it round');
      await until('it is proposed', () => services.changeSet.files.length === 1);
      let accepting;
      for (const letter of letters) {
        await vscode.commands.executeCommand('type', { text: letter });
        if (letter === 'e') {
          // A decision that meets a letter changes nothing, and is made again.
          accepting = until('it is accepted', async () => {
            await vscode.commands.executeCommand('placet.review.acceptAll');
            return services.changeSet.files.length === 0;
          });
        }
        await pause(LETTER_MILLISECONDS);
      }
      await accepting;
      assert.match(editor.document.getText(), /h \* w/);
      assert.ok(editor.document.getText().includes(letters), editor.document.getText());
      assert.equal(vscode.window.activeTextEditor, editor);
    },

    async 'the status bar tells what the session has cost'() {
      const services = await openServices();
      const sessionId = await play(services, [{ events: [{ text: 'Hm.' }, { usage: { input: 1000, output: 5 }, cost: 0.25 }] }]);
      await prompt(services, sessionId, 'Think');
      await until('the cost is shown', () => /Session cost: \$0\.25/.test(services.status.item.tooltip));
      assert.equal(services.status.item.command, 'placet.open');
      assert.equal(services.status.item.backgroundColor, undefined);
    },
  });
