// A session of four prompts whose turns change files, for the suites of the way back; and the user who goes to a prompt.
const fs = require('node:fs/promises');
const path = require('node:path');
const { assert, play, prompt, put, vscode } = require('./suites/harness.cjs');
const { add, patch, read, remove, run, update } = require('./reviewing.cjs');
const { ChatUser } = require('./model.cjs');

const DONE = { events: [{ text: 'Done.' }] };
const PROMPTS = ['First: one', 'Second: two', 'Third: three', 'Fourth: four'];

const called = ([call, given]) => ({ events: [{ call, arguments: given }] });
const fileIn = (folder, name) => vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, folder, name);

/** Every file of the folder with its bytes, by name. */
async function bytesIn(folder) {
  const directory = fileIn(folder, '').fsPath;
  const names = (await fs.readdir(directory)).sort();
  const bytes = async (name) => [name, (await fs.readFile(path.join(directory, name))).toString('hex')];
  return Object.fromEntries(await Promise.all(names.map(bytes)));
}

/**
 * A session of four prompts that write at once, on the page of the chat; the bytes before the second prompt and now. Each
 * folder is used once: a text with line ends of both kinds is never what VS Code's document of before holds.
 */
async function fourPrompts(services, folder, ...more) {
  await put(`${folder}/a.txt`, 'a one\r\na two\na three');
  await put(`${folder}/gone.txt`, 'gone\n');
  const [a, gone] = [fileIn(folder, 'a.txt'), fileIn(folder, 'gone.txt')];
  const edit = (oldString, newString) => ['edit', { filePath: a.fsPath, oldString, newString }];
  const session = await play(services, [
    ...[called(read(a)), called(edit('a two', 'A TWO')), DONE],
    ...[called(read(gone)), called(patch(add(`${folder}/made.txt`, ['made']), remove(`${folder}/gone.txt`))), DONE],
    ...[called(edit('a three', 'A THREE')), DONE],
    ...[called(patch(update(`${folder}/made.txt`, 'made', 'made again'))), DONE],
    ...more,
  ]);
  await run('placet.chooseReview', 'apply');
  let before;
  for (const [index, text] of PROMPTS.entries()) {
    before = index === 1 ? await bytesIn(folder) : before;
    assert.equal((await prompt(services, session, text)).stopReason, 'end_turn');
  }
  await run('placet.chat.focus');
  const chat = new ChatUser();
  await chat.see(PROMPTS[3]);
  return { session, chat, before, after: await bytesIn(folder) };
}

/** Goes up to an earlier prompt by keys, and clicks the button of this prompt. */
async function offer(chat, text) {
  await chat.write('');
  for (let up = PROMPTS.length - PROMPTS.indexOf(text); up > 0; up--) {
    await chat.press('Alt+ArrowUp');
  }
  await chat.click(`Go Back to Here: ${text}`);
}

module.exports = { bytesIn, called, DONE, fileIn, fourPrompts, offer, PROMPTS };
