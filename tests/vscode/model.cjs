// For the suites that have a model on OpenAI's wire: the daemon set up for it, its sessions, and the user in the chat.
const fs = require('node:fs/promises');
const path = require('node:path');
const vscode = require('vscode');
const { ModelWire } = require('./model_wire.cjs');
const { assert, openServices, prompt, say, until } = require('./suites/harness.cjs');

const MODEL = 'openai/gpt-4o';

/** Does the work with a wire and the services whose daemon asks it, once it has answered: its start takes long. */
async function withModel(work) {
  return withWire(async (model) => {
    await answersAgain(model, await begin(model.services, 'The first'));
    model.wire.forget();
    return work(model);
  });
}

/** As `withModel`, and nothing is asked before. */
async function withWire(work) {
  const wire = new ModelWire();
  // The user's settings of every window have the address.
  const { apiBase } = vscode.workspace.getConfiguration('placet').get('settings').modelOptions;
  const { hostname, port } = new URL(apiBase);
  await until('the port is free', () => wire.open(Number(port), hostname).catch(() => undefined));
  try {
    return await work({ wire, services: await openServices() });
  } finally {
    wire.close();
  }
}

/** A prompt of the session is answered: what went before left nothing behind. It takes long where the model host starts. */
async function answersAgain({ services, wire }, session) {
  wire.clear();
  wire.play([{ text: 'Here I am again.' }]);
  const result = await prompt(services, session, 'Are you there?');
  say(`the model ${result.stopReason === 'end_turn' ? 'answers' : `does not answer: ${JSON.stringify(result)}`}`);
  assert.equal(result.stopReason, 'end_turn', JSON.stringify(result));
}

/** What has happened in the session, as the daemon tells it now. */
async function updatesOf(services, sessionId) {
  const { events } = await services.agent.request('agent/session/load', { sessionId });
  return events.map((event) => event.update);
}

/** A session with a title, as the model is asked for one otherwise. It is the window's from now on. */
async function begin(services, title) {
  const { id } = await services.agent.request('agent/session/new', { title, model: MODEL });
  services.session.set(id);
  return id;
}

/** The user in the chat's page (chat_user.mjs). */
class ChatUser {
  /** `place` is `side` or `editor` where the chat has several pages. */
  constructor(place) {
    this.place = place;
  }

  /** Once there is what the selector finds in the window, outside of the chat's page. */
  inWindow(selector) {
    return this.#wish({ inWindow: selector });
  }

  see(text) {
    return this.#wish(text instanceof RegExp ? { see: text.source, isPattern: true } : { see: text });
  }

  gone(text) {
    return this.#wish({ gone: text });
  }

  async send(text) {
    await this.#wish({ type: text });
    await this.#wish({ press: 'Enter' });
  }

  /** Sends a prompt, and returns how many milliseconds after Enter the words of the answer were on the page. */
  millisecondsUntil(words, prompt) {
    return this.#wish({ send: prompt, words });
  }

  write(text) {
    return this.#wish({ type: text });
  }

  press(key) {
    return this.#wish({ press: key });
  }

  click(name) {
    return this.#wish(name instanceof RegExp ? { click: name.source, isPattern: true } : { click: name });
  }

  /** Once all that the selector finds is in view. */
  inView(selector) {
    return this.#wish({ inView: selector });
  }

  /** Chooses an item of an open menu. */
  choose(name) {
    return this.#wish({ item: name });
  }

  /** Presses the keys in the open picker, and returns whether the chat shows the text then. */
  pick(keys, text) {
    return this.#wish({ pick: keys, see: text });
  }

  /** Once there is a button with the name. */
  button(name) {
    return this.#wish(name instanceof RegExp ? { button: name.source, isPattern: true } : { button: name });
  }

  /** Once the button with the name has the focus. */
  focused(name) {
    return this.#wish({ focused: name });
  }

  /** Deletes what stands in the prompt. */
  clear() {
    return this.#wish({ clear: true });
  }

  /** What the page shows of a session, of a draft and of requests. */
  look() {
    return this.#wish({ look: true });
  }

  /** What stands in the prompt. */
  written() {
    return this.#wish({ value: true });
  }

  async #wish(what) {
    const directory = path.join(vscode.workspace.workspaceFolders[0].uri.fsPath, '../user');
    await fs.mkdir(directory, { recursive: true });
    // Whoever wished before, maybe in the window before it was reloaded.
    const number = (await fs.readdir(directory)).filter((name) => name.endsWith('.wish.json')).length + 1;
    const file = path.join(directory, `${number}.wish.json`);
    await fs.writeFile(`${file}.part`, JSON.stringify(this.place && !what.inWindow ? { ...what, place: this.place } : what));
    await fs.rename(`${file}.part`, file);
    const read = () => fs.readFile(path.join(directory, `${number}.done.json`), 'utf8').then(JSON.parse, () => undefined);
    // The user answers within the limit of a wait, or says what could not be done.
    const done = await until(`the user did ${JSON.stringify(what)}`, read, Number.POSITIVE_INFINITY);
    if (!done.ok) {
      throw new Error(`the user could not ${JSON.stringify(what)}: ${done.message}`);
    }
    return done.value;
  }
}

module.exports = { answersAgain, begin, ChatUser, updatesOf, withModel, withWire };
