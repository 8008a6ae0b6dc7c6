// The keys of the text: a prompt at the cursor, and the selection beside the chat's next prompt. keys.user.mjs presses.
const { asked, assert, openServices, play, put, readByUser, runAll, until, vscode } = require('./harness.cjs');
const { acceptAll } = require('../reviewing.cjs');

/** The icons in the status bar, as the window shows them now. */
const icons = () => readByUser('busy');

const SAVED = 'def area(w, h):\n    return w * h\n';

exports.run = () =>
  runAll({
    async 'a key asks at the cursor, and the change is made without any panel'() {
      const services = await openServices();
      const uri = await put('here.py', SAVED);
      await play(services, [
        { events: [{ call: 'bash', arguments: { command: 'touch tested.txt', description: 'Test it' } }] },
        { events: [{ call: 'read', arguments: { filePath: uri.fsPath } }] },
        { events: [{ call: 'edit', arguments: { filePath: uri.fsPath, oldString: 'w * h', newString: 'h * w' } }] },
        { events: [{ text: 'Done.' }] },
      ]);
      const document = await vscode.workspace.openTextDocument(uri);
      await vscode.window.showTextDocument(document);
      const ask = await asked(services);
      assert.equal(ask.request.sessionId, services.session.id);
      await until('the window waits for the user', async () => (await icons()).some((icon) => icon.includes('bell-dot')));
      // Another extension or VS Code itself may be at work for a moment.
      const isTurning = (icon) => icon.includes('animation') || icon.includes('loading');
      await until('nothing turns in the status bar while the user is asked', async () => !(await icons()).some(isTurning));
      const sessions = await services.trees['placet.sessions'].roots();
      const { item } = sessions.find(({ subject }) => subject.id === services.session.id);
      assert.equal(item.iconPath.id, 'bell-dot', 'nothing turns in the list of the sessions');
      assert.match(item.description, /waiting for you/);
      services.pendingRequests.answer(ask.id, { outcome: 'once' });
      await until('the end of the turn', () => services.agent.status.running.length === 0);
      await acceptAll(services);
      assert.match(document.getText(), /h \* w/);
      assert.equal(services.chat.isVisible, false);
    },

    async 'a key puts the selection beside the next prompt of the chat'() {
      const services = await openServices();
      const uri = await put('chosen.py', SAVED);
      await play(services, [{ events: [{ text: 'I see.' }] }]);
      const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
      editor.selection = new vscode.Selection(0, 0, 1, 4);
      const prompts = async () => {
        const { events } = await services.agent.request('agent/session/load', { sessionId: services.session.id });
        return events.filter(({ update }) => update.kind === 'user_message');
      };
      const [{ update }] = await until('the prompt', async () => {
        const found = await prompts();
        return found.length > 0 && found;
      });
      const part = update.message.parts.find((one) => one.type === 'file');
      assert.deepEqual(part.range, { start: 1, end: 2 });
      assert.equal(part.uri, uri.toString());
    },
  });
