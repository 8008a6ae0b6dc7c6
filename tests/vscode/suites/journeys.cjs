// What a user does from end to end, with the model on OpenAI's wire: what it is told is looked at as well.
const { asked, assert, inMode, onDisk, prompt, put, runAll, until, user, vscode } = require('./harness.cjs');
const { begin, ChatUser, updatesOf, withModel } = require('../model.cjs');
const { told } = require('../model_wire.cjs');
const { acceptAll } = require('../reviewing.cjs');

const SAVED = 'def area(w, h):\n    return w * h\n';
const USE = "const width: string = 'wide';\n\nexport const twice: number = 2;\n\nexport const label = width;\n";
const TSCONFIG = '{ "compilerOptions": { "strict": true, "types": [], "module": "esnext" }, "include": ["*.ts"] }\n';

const call = (name, given) => ({ call: name, arguments: given });

exports.run = () => withModel((model) => runAll(testsOf(model)));

function testsOf({ services, wire }) {
  const chat = new ChatUser();
  /** One step after the other as the model does them, then its last words. */
  const plays = (...calls) => {
    wire.clear();
    wire.play(...calls.map((one) => [one]), [{ text: 'Done.' }]);
  };
  return {
    async 'a command is allowed for the project in the chat, runs unasked then, and asks again once that is revoked'() {
      const session = await begin(services, 'Commands');
      await vscode.commands.executeCommand('placet.chat.focus');
      const touch = call('bash', { command: 'touch made.txt', description: 'Make a file' });
      plays(touch);
      const first = prompt(services, session, 'Make it');
      await chat.click('More: Allow');
      await chat.choose('Allow in This Project');
      assert.equal((await first).stopReason, 'end_turn');
      await vscode.workspace.fs.stat(vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, 'made.txt'));

      // In another session, as it is the project that it was allowed for.
      const second = await begin(services, 'Commands again');
      plays(touch);
      assert.equal((await prompt(services, second, 'Once more')).stopReason, 'end_turn');
      assert.equal(services.pendingRequests.waiting.length, 0);

      const { grants } = await services.agent.request('agent/permission/rules', { sessionId: second });
      const [grant] = grants.filter((one) => one.scope === 'project');
      await services.agent.request('agent/permission/revoke', { id: grant.id });
      plays(touch);
      const third = prompt(services, second, 'And again');
      await asked(services);
      await chat.click('Reject');
      assert.equal((await third).stopReason, 'rejected');
    },

    async 'an unsaved document is what the model reads and what is changed, and it stays unsaved'() {
      const session = await begin(services, 'Unsaved');
      const uri = await put('unsaved.py', SAVED);
      const document = await vscode.workspace.openTextDocument(uri);
      const editor = await vscode.window.showTextDocument(document);
      await editor.edit((change) => change.insert(new vscode.Position(0, 0), '# not saved yet\n'));
      plays(
        call('read', { filePath: uri.fsPath }),
        call('edit', { filePath: uri.fsPath, oldString: '# not saved yet\n', newString: '# seen, and not saved yet\n' }),
      );
      assert.equal((await prompt(services, session, 'Say that you saw it')).stopReason, 'end_turn');
      assert.match(told(wire.requests.at(-1)), /# not saved yet/);
      const [file] = await until('the change is listed', () => services.changeSet.files.length > 0 && services.changeSet.files);
      const { oldText } = await services.changeSet.texts(file);
      assert.match(oldText, /^# not saved yet/);
      assert.doesNotMatch(document.getText(), /seen/, 'nothing is in the document before the answer');
      await acceptAll(services);
      assert.equal(document.getText(), `# seen, and not saved yet\n${SAVED}`);
      assert.equal(document.isDirty, true);
      assert.equal(await onDisk(uri), SAVED);
    },

    async 'an edit is taken back by Ctrl+Z, and by the command with later typing kept'() {
      const session = await begin(services, 'Undo');
      const uri = await put('undone.py', SAVED);
      const document = await vscode.workspace.openTextDocument(uri);
      const edits = call('edit', { filePath: uri.fsPath, oldString: 'return w * h', newString: 'return h * w' });
      const turn = async () => {
        plays(call('read', { filePath: uri.fsPath }), edits);
        assert.equal((await prompt(services, session, 'Turn it round')).stopReason, 'end_turn');
        await acceptAll(services);
        assert.match(document.getText(), /h \* w/);
      };
      await vscode.window.showTextDocument(document);
      await turn();
      await vscode.window.showTextDocument(document, { preserveFocus: false });
      user('point', '.monaco-editor .view-lines');
      user('keys', 'Control+z');
      await until('one Ctrl+Z took it back', () => document.getText() === SAVED);
      await document.save();

      await turn();
      const editor = await vscode.window.showTextDocument(document);
      await editor.edit((change) => change.insert(new vscode.Position(0, 0), '# typed later\n'));
      await vscode.commands.executeCommand('placet.undo');
      await until('the edit is gone and the typing is not', () => document.getText() === `# typed later\n${SAVED}`);
    },

    "what an edit broke is told to the model by the editor's own TypeScript, and only that": inMode('ask', async () => {
      const session = await begin(services, 'Told');
      await put('told/tsconfig.json', TSCONFIG);
      const uri = await put('told/use.ts', USE.replace("'wide'", '1'));
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
      await until('the old error is there', () => vscode.languages.getDiagnostics(uri).length === 1);
      plays(
        call('read', { filePath: uri.fsPath }),
        call('edit', { filePath: uri.fsPath, oldString: 'twice: number = 2', newString: 'twice: number = "2"' }),
      );
      const turn = prompt(services, session, 'Break it');
      services.pendingRequests.answer((await asked(services)).id, { outcome: 'once' });
      assert.equal((await turn).stopReason, 'end_turn');
      const result = wire.requests.at(-1).messages.findLast((one) => one.role === 'tool').content;
      const text = typeof result === 'string' ? result : result.map((part) => part.text).join('\n');
      assert.match(text, /Type 'string' is not assignable to type 'number'/);
      assert.doesNotMatch(text, /Type 'number' is not assignable to type 'string'/, 'the old one is none of its doing');
    }),

    async 'from a squiggle to a kept hunk: the lightbulb, the review, the error gone'() {
      await put('fixed/tsconfig.json', TSCONFIG);
      const uri = await put('fixed/use.ts', USE.replace("'wide'", '1'));
      const document = await vscode.workspace.openTextDocument(uri);
      const editor = await vscode.window.showTextDocument(document);
      const [squiggle] = await until('the error is there', () => {
        const found = vscode.languages.getDiagnostics(uri);
        return found.length > 0 && found;
      });
      editor.selection = new vscode.Selection(squiggle.range.start, squiggle.range.start);
      const session = await begin(services, 'Squiggle');
      plays(
        call('read', { filePath: uri.fsPath }),
        call('edit', { filePath: uri.fsPath, oldString: 'string = 1', newString: "string = 'wide'" }),
      );
      const action = await until('the lightbulb offers it', async () => {
        const offered = await vscode.commands.executeCommand('vscode.executeCodeActionProvider', uri, squiggle.range);
        return offered.find((one) => one.title.startsWith('Fix with Placet'));
      });
      const before = wire.requests.length;
      await vscode.commands.executeCommand(action.command.command, ...action.command.arguments);
      assert.match(told(wire.requests[before]), /not assignable to type 'string'/, 'the model is told what is wrong');
      assert.match(document.getText(), /string = 1;/, 'nothing is in the document before the answer');
      await until('one hunk is proposed', () => services.changeSet.files.map(({ hunks }) => hunks.length).join() === '1');
      editor.selection = new vscode.Selection(0, 0, 0, 0);
      await vscode.commands.executeCommand('placet.review.accept');
      await until('it is kept', () => document.getText() === USE);
      await until('the error is gone', () => vscode.languages.getDiagnostics(uri).length === 0);
      const ended = async () => (await updatesOf(services, session)).some((one) => one.kind === 'turn_ended');
      await until('the turn has ended', ended);
    },
  };
}
