// The user goes back to a prompt in the chat, in talk and files, the talk alone or the files alone, and forth again.
const fs = require('node:fs/promises');
const { asked, assert, onDisk, openServices, play, prompt, put, runAll, until } = require('./harness.cjs');
const { bytesIn, called, DONE, fileIn, fourPrompts, offer, PROMPTS } = require('../prompts.cjs');
const { run } = require('../reviewing.cjs');
const { ChatUser } = require('../model.cjs');

const backTo = async (services, sessionId) =>
  (await services.agent.request('agent/session/load', { sessionId })).session.backTo;

const TESTS = {
  async 'back three prompts and forth again gives the first bytes, and the input holds the prompt in the meantime'() {
    const services = await openServices();
    const { session, chat, before, after } = await fourPrompts(services, 'three');
    assert.notDeepEqual(after, before);
    await offer(chat, PROMPTS[1]);
    await chat.see('Talk: hides 3 prompts with the answers.');
    await chat.see('Files before this prompt:');
    assert.deepEqual(await bytesIn('three'), after, 'the preview changes nothing');
    await chat.click('Talk and Files');
    await chat.gone(PROMPTS[3]);
    await chat.see('You went back.');
    await chat.see(PROMPTS[0]);
    assert.deepEqual(await bytesIn('three'), before);
    assert.equal(await chat.written(), PROMPTS[1]);
    assert.ok(await backTo(services, session));
    await chat.click('Redo');
    await chat.see(PROMPTS[3]);
    await chat.gone('You went back.');
    assert.deepEqual(await bytesIn('three'), after);
    assert.equal(await chat.written(), '');
    assert.equal(await backTo(services, session), undefined);
  },

  async 'the files alone go back from the palette by the keyboard alone, and the palette brings them forth again'() {
    const services = await openServices();
    const { session, chat, before, after } = await fourPrompts(services, 'files');
    // The focus of the chat comes late, and closes a picker that is open by then.
    await until('a prompt is picked', () => {
      void run('placet.goBack');
      // The newest prompt is the first.
      return chat.pick(['ArrowDown', 'ArrowDown', 'Enter'], 'Talk: hides 3 prompts with the answers.');
    });
    await chat.focused('Talk and Files');
    await chat.press('Tab');
    await chat.press('Tab');
    await chat.press('Enter');
    await chat.see('The files went back; the talk stayed.');
    assert.deepEqual(await bytesIn('files'), before);
    await chat.see('Redo Changes');
    await chat.see(PROMPTS[3]);
    assert.equal(await chat.written(), '');
    assert.equal(await backTo(services, session), undefined);
    await run('placet.redoBack');
    assert.deepEqual(await bytesIn('files'), after);
    await chat.gone('Redo');
  },

  async 'the next prompt ends the way forward of the files'() {
    const services = await openServices();
    const { session, chat, before } = await fourPrompts(services, 'ended', DONE);
    await offer(chat, PROMPTS[1]);
    await chat.click('Files Alone');
    await chat.see('The files went back; the talk stayed.');
    await prompt(services, session, 'Fifth: go on');
    await chat.gone('The files went back');
    assert.deepEqual(await bytesIn('ended'), before);
  },

  async 'the talk alone goes back with the files of the prompt, which the user edits and sends'() {
    const services = await openServices();
    const { session, chat } = await fourPrompts(services, 'talk', DONE, DONE);
    const parts = [{ type: 'text', text: 'Fifth: look' }, { type: 'file', uri: fileIn('talk', 'a.txt').toString() }];
    await services.agent.request('agent/prompt', { sessionId: session, parts });
    const present = await bytesIn('talk');
    await chat.click('Go Back to Here: Fifth: look');
    await chat.see('Talk: hides this prompt with its answer.');
    await chat.see('Files: nothing to restore.');
    await chat.click('Talk Alone');
    await chat.gone('Talk: hides');
    assert.equal(await chat.written(), 'Fifth: look');
    await offer(chat, PROMPTS[2]);
    await chat.click('Talk Alone');
    await chat.gone(PROMPTS[3]);
    assert.equal(await chat.written(), PROMPTS[2], 'the prompt of the step before makes room');
    assert.deepEqual(await bytesIn('talk'), present);
    const sent = [];
    const listening = services.agent.onUpdate(({ update }) => {
      sent.push(...(update.kind === 'user_message' ? update.message.parts : []).map((part) => part.text));
    });
    await chat.send(' again');
    await chat.gone('You went back.');
    await until('the prompt is sent', () => sent.includes(`${PROMPTS[2]} again`));
    await until('the turn has ended', () => services.agent.status.running.length === 0);
    listening.dispose();
    await chat.gone(PROMPTS[3]);
    assert.equal(await backTo(services, session), undefined);
  },

  async 'an attached file comes back with its prompt, and a redo takes it away'() {
    const services = await openServices();
    await put('attached/attached.txt', 'attached\n');
    const session = await play(services, [DONE]);
    const chat = new ChatUser();
    const parts = [{ type: 'text', text: 'Only: look' }, { type: 'file', uri: fileIn('attached', 'attached.txt').toString() }];
    await services.agent.request('agent/prompt', { sessionId: session, parts });
    await run('placet.chat.focus');
    await chat.click('Go Back to Here: Only: look');
    await chat.click('Talk Alone');
    await chat.button('Remove attached.txt');
    assert.equal(await chat.written(), 'Only: look');
    await chat.write(' closely');
    await chat.click('Redo');
    await chat.see('Done.');
    assert.equal(await chat.written(), 'Only: look closely', 'what the user typed stays');
    await chat.press('Control+A');
    await chat.press('Backspace');
  },

  async 'a file in which the user edited the same lines stays, as the preview says'() {
    const services = await openServices();
    const { chat, before } = await fourPrompts(services, 'same');
    await fs.writeFile(fileIn('same', 'made.txt').fsPath, 'mine\n');
    await offer(chat, PROMPTS[1]);
    await chat.see(/stays: /);
    await chat.click('Talk and Files');
    await chat.see('You went back.');
    const now = await bytesIn('same');
    assert.equal(await onDisk(fileIn('same', 'made.txt')), 'mine\n');
    assert.equal(now['a.txt'], before['a.txt']);
    assert.equal(now['gone.txt'], before['gone.txt']);
    await chat.see(/^made\.txt: /);
  },

  async 'during a turn the card says why nothing goes back, and stops the turn'() {
    const services = await openServices();
    const session = await play(services, [DONE, called(['bash', { command: 'touch never.txt', description: 'Make a file' }]), DONE]);
    await prompt(services, session, 'Zero: nothing');
    const ended = prompt(services, session, 'Run: it');
    await asked(services);
    await run('placet.chat.focus');
    const chat = new ChatUser();
    // Below the list, the question takes the place of the first prompt.
    await chat.write('');
    await chat.press('Alt+ArrowUp');
    await chat.press('Alt+ArrowUp');
    await chat.click('Go Back to Here: Zero: nothing');
    await chat.see('The agent is at work. Stop the turn first, then go back.');
    await chat.click('Stop Turn');
    assert.equal((await ended).stopReason, 'cancelled');
    await chat.see('Talk: hides 2 prompts with the answers.');
    await chat.press('Escape');
    await chat.gone('Talk: hides 2 prompts');
    assert.equal(await backTo(services, session), undefined);
  },
};

/** What a test has left unreviewed is no concern of the next test. */
const decided = (test) => () =>
  test().finally(async () => {
    const { changeSet } = await openServices();
    // A decision on an older list changes nothing, and the list may be about to come anew.
    await until('the set is empty', async () => {
      await run('placet.changeSet.keepAll');
      return changeSet.files.length === 0;
    });
  });

exports.run = () => runAll(Object.fromEntries(Object.entries(TESTS).map(([name, test]) => [name, decided(test)])));
