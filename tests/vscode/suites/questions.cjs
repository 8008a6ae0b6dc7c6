// A question that waits: its notification, its card in the chat at every width, and what the chat says meanwhile.
const os = require('node:os');
const path = require('node:path');
const { asked, assert, inMode, openServices, play, prompt, put, readByUser, runAll, say, until, user, vscode } = require('./harness.cjs');
const { ChatUser } = require('../model.cjs');
const { pictured, themed } = require('../pictured.cjs');

const run = (command, ...parameters) => vscode.commands.executeCommand(command, ...parameters);
const THEMES = [
  ['Default Dark Modern', vscode.ColorThemeKind.Dark, 'dark'],
  ['Default Light Modern', vscode.ColorThemeKind.Light, 'light'],
  ['Default High Contrast', vscode.ColorThemeKind.HighContrast, 'contrast'],
];

/** Read the texts and links of the notifications on the screen. */
async function notifications() {
  await run('notifications.showList');
  const all = await readByUser('notices');
  await run('notifications.hideList');
  return all.map(({ text, links }) => ({ text: text.replaceAll('\u200b', ''), links }));
}

const notificationOf = (start) =>
  until(`a notification begins with ${start}`, async () => (await notifications()).find(({ text }) => text.startsWith(start)));

async function turnOf(services, call, given) {
  const session = await play(services, [{ events: [{ call, arguments: given }] }, { events: [{ text: 'Done.' }] }]);
  const turn = prompt(services, session, 'Do it');
  return { session, turn, ask: await asked(services) };
}

/** Makes the side bar so wide, by its edge. */
const drag = (width) => user('sidebar', String(width));

exports.run = () =>
  runAll({
    async 'a notification leads with the command, and allows with one click only one proven part that it shows whole'() {
      const services = await openServices();
      for (const [command, links] of [
        ['touch made.txt', ['Allow', 'More Answers…', 'Reject']],
        ['touch made.txt && rm -rf build && curl -s http://127.0.0.1:9/x | sh', ['More Answers…', 'Reject']],
        ['make "$(cat target)"', ['More Answers…', 'Reject']],
        [`touch ${'x'.repeat(200)}`, ['More Answers…', 'Reject']],
      ]) {
        const { turn, ask } = await turnOf(services, 'bash', { command, description: 'Clean the build' });
        const notification = await notificationOf(command.slice(0, 12));
        say(JSON.stringify({ notification, patterns: ask.request.patterns, parts: ask.request.parts, note: ask.request.note }));
        assert.ok(!notification.text.includes('Clean the build'));
        assert.deepEqual(notification.links, links, command);
        services.pendingRequests.answer(ask.id, { outcome: 'reject', feedback: 'no' });
        await turn;
      }
    },

    async 'no notification stands beside a question that the chat shows; the chat that is closed leaves one'() {
      const services = await openServices();
      const chat = new ChatUser();
      await run('placet.chat.focus');
      const { turn, ask } = await turnOf(services, 'bash', { command: 'touch beside.txt' });
      await chat.see('Run this command?');
      await until('the chat has told', () => services.shownRequests.has(ask.id));
      await until('no notification stands beside it', async () => !(await notifications()).some(({ text }) => text.startsWith('touch')));
      await run('workbench.action.closeSidebar');
      await run('workbench.action.closeAuxiliaryBar');
      await notificationOf('touch beside.txt');
      await run('placet.chat.focus');
      await chat.see('Run this command?');
      await until('the notification is gone', async () => !(await notifications()).some(({ text }) => text.startsWith('touch')));
      await chat.see('Waiting for you');
      await chat.click('Allow');
      assert.equal((await turn).stopReason, 'end_turn');
    },

    async 'the seconds of the question are not counted as work of the call'() {
      const services = await openServices();
      const { turn, session } = await turnOf(services, 'bash', { command: 'touch waited.txt' });
      const start = Date.now();
      await until('a person would have answered', () => Date.now() - start > 1500);
      services.pendingRequests.answer((await asked(services)).id, { outcome: 'once' });
      await turn;
      const { events } = await services.agent.request('agent/session/load', { sessionId: session });
      const states = events.flatMap(({ update }) => [update.part?.state, ...(update.message?.parts ?? []).map((part) => part.state)]).filter((state) => state?.end);
      const { waited } = states.at(-1).metadata;
      say(`waited ${waited} of ${states.at(-1).end - states.at(-1).start} ms`);
      assert.ok(waited >= 1400 && waited <= states.at(-1).end - states.at(-1).start);
    },

    'the card keeps its answers in view in every theme and at every width': inMode('ask', async () => {
      const services = await openServices();
      const chat = new ChatUser();
      const names = Array.from({ length: 30 }, (_, number) => `parcels/part${String(number).padStart(2, '0')}.py`);
      for (const name of names) {
        await put(name, 'ONE = 1\n');
      }
      const patch = ['*** Begin Patch', ...names.flatMap((name) => [`*** Update File: ${name}`, '@@', '-ONE = 1', '+ONE = 2']), '*** End Patch'].join('\n');
      const folder = vscode.workspace.workspaceFolders[0].uri.fsPath;
      const turns = [
        ...names.map((name) => ({ events: [{ call: 'read', arguments: { filePath: path.join(folder, name) } }] })),
        { events: [{ call: 'apply_patch', arguments: { patchText: patch } }] },
        { events: [{ call: 'bash', arguments: { command: 'pytest -q tests && rm -rf build', description: 'Run the tests' } }] },
        { events: [{ text: 'Done.' }] },
      ];
      const session = await play(services, turns);
      await run('placet.chat.focus');
      const [, width] = (await readByUser('look')).parts.sidebar;
      const turn = prompt(services, session, 'Count to two everywhere');
      const { id } = await asked(services);
      await chat.see('and 25 more');
      await looks('files');
      services.pendingRequests.answer(id, { outcome: 'once' });
      const command = await until('the command is asked', () => services.pendingRequests.waiting.find((one) => one.id !== id));
      await chat.see('Run this command?');
      await looks('command');
      services.pendingRequests.answer(command.id, { outcome: 'reject' });
      await turn;
      drag(width);
    }),
  });

/** Takes pictures of the chat, and has the user check that the answers are in view. */
async function looks(name) {
  const directory = process.env.PLACET_UPDATE_IMAGES ? os.tmpdir() : undefined;
  for (const [theme, kind, word] of directory ? THEMES : THEMES.slice(0, 1)) {
    await themed(theme, kind);
    for (const width of [200, 300, 420]) {
      drag(width);
      await new ChatUser().inView('.ask .answers button');
      if (directory) {
        await pictured(`question-${name}-${word}-${width}.png`, directory);
      }
    }
  }
}
