// The choices of a session: model, effort, review mode and how careful, by commands and in the chat, and what of them
// the next session begins with.
const { ChatUser } = require('../model.cjs');
const { assert, openServices, play, runAll, until, user, vscode } = require('./harness.cjs');

const NO_EVENTS = Number.MAX_SAFE_INTEGER;
const chat = new ChatUser();

async function info(services, sessionId = services.session.id) {
  return (await services.agent.request('agent/session/load', { sessionId, since: NO_EVENTS })).session;
}

exports.run = () =>
  runAll({
    async 'the palette sets the effort and how careful the session is'() {
      const services = await openServices();
      await play(services, []);
      void vscode.commands.executeCommand('placet.effort');
      user('click', 'High');
      await until('the effort', async () => (await info(services)).effort === 'high');
      void vscode.commands.executeCommand('placet.chooseReview');
      user('click', 'Ask before every act');
      await until('the caution', async () => (await info(services)).caution === 'more');
    },

    async 'the palette sets and unsets the profile'() {
      const services = await openServices();
      await play(services, []);
      void vscode.commands.executeCommand('placet.profile');
      user('click', 'Smallest');
      await until('the profile', async () => (await info(services)).profile === 'smallest');
      await vscode.commands.executeCommand('placet.profile', 'default');
      assert.equal((await info(services)).profile, undefined);
    },

    async 'the next session begins with the chosen model and effort, and another caution'() {
      const services = await openServices();
      await vscode.commands.executeCommand('placet.model', 'openai/gpt-5');
      await vscode.commands.executeCommand('placet.effort', 'low');
      services.session.set(null);
      const { model, effort, caution } = await info(services, await services.session.get());
      assert.deepEqual({ model, effort, caution }, { model: 'openai/gpt-5', effort: 'low', caution: undefined });
    },

    async 'a model that the settings name afterwards counts instead'() {
      const services = await openServices();
      await services.preferences.prefer({ over: 'some/other' });
      services.session.set(null);
      assert.notEqual((await info(services, await services.session.get())).model, 'openai/gpt-5');
    },

    async 'the chat shows the choices of the session, and changes them'() {
      const services = await openServices();
      await play(services, []);
      await vscode.commands.executeCommand('placet.chat.focus');
      await chat.click(/How careful: Standard/);
      await chat.press('ArrowUp');
      await chat.press('Enter');
      await chat.button(/How careful: Careful/);
      await until('the caution', async () => (await info(services)).caution === 'more');
      await services.agent.request('agent/session/setEffort', { sessionId: services.session.id, effort: 'max' });
      await chat.button(/Effort: Maximal/);
      await services.preferences.prefer({ model: undefined, effort: undefined, over: undefined });
    },
  });
