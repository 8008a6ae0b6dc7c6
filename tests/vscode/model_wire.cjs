// A model server on 127.0.0.1 for the suites: OpenAI's chat-completions stream, which the suite holds up where it wants.
const http = require('node:http');

/** Answers are lists of steps: { status } alone, or { text }, { call, arguments }, and { wait } until that name is let go. */
class ModelWire {
  /** What was asked, oldest first: the bodies. */
  requests = [];
  /** Answers that ended because the client had left. */
  left = 0;
  #answers = [];
  #gates = new Map();
  #server = http.createServer((request, response) => void this.#serve(request, response));

  /** Listens on the port, or on one that is free; resolves to the address for `modelOptions.apiBase`. */
  async open(port = 0, host = '127.0.0.1') {
    await new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, resolve);
    });
    return `http://${host}:${this.#server.address().port}/v1`;
  }

  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** What is answered next, one list of steps for each request. */
  play(...answers) {
    this.#answers.push(...answers);
  }

  /** Forget what was to be answered. */
  clear() {
    this.#answers.length = 0;
  }

  /** Forget what was asked and who left. */
  forget() {
    this.requests.length = 0;
    this.left = 0;
    this.#gates.clear();
  }

  /** Once an answer has come to the gate. */
  reached(name) {
    return this.#gate(name).reached.promise;
  }

  /** Let it go on. */
  release(name) {
    this.#gate(name).open.resolve();
  }

  #gate(name) {
    if (!this.#gates.has(name)) {
      this.#gates.set(name, { reached: Promise.withResolvers(), open: Promise.withResolvers() });
    }
    return this.#gates.get(name);
  }

  async #serve(request, response) {
    // A list of models is no part of the script.
    if (request.method === 'GET') {
      response.writeHead(404).end();
      return;
    }
    let body = '';
    for await (const piece of request) {
      body += piece;
    }
    const asked = JSON.parse(body || '{}');
    this.requests.push(asked);
    const steps = this.#answers.shift();
    if (!steps) {
      const message = 'the script of the model server is at its end';
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message, type: 'script' } }));
      return;
    }
    const [{ status }] = steps;
    if (status !== undefined) {
      const error = { message: 'Incorrect API key provided', type: 'invalid_request_error', code: 'invalid_api_key' };
      response.writeHead(status, { 'content-type': 'application/json', ...steps[0].headers }).end(JSON.stringify({ error }));
      return;
    }
    let hasLeft = false;
    const leaving = new Promise((resolve) => {
      response.on('close', () => {
        hasLeft = !response.writableEnded;
        resolve();
      });
    });
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }).flushHeaders();
    const send = (choices, more = {}) => response.write(`data: ${JSON.stringify({ ...head(asked), choices, ...more })}\n\n`);
    const delta = (what, reason = null) => send([{ index: 0, delta: what, logprobs: null, finish_reason: reason }]);
    let calls = 0;
    for (const step of steps) {
      if (step.wait !== undefined) {
        const gate = this.#gate(step.wait);
        gate.reached.resolve();
        await Promise.race([gate.open.promise, leaving]);
      } else if (step.call !== undefined) {
        const written = { name: step.call, arguments: JSON.stringify(step.arguments ?? {}) };
        delta({ tool_calls: [{ index: calls, id: `call_${this.requests.length}_${calls}`, type: 'function', function: written }] });
        calls++;
      } else {
        for (const word of step.text.split(/(?<= )/)) {
          delta({ role: 'assistant', content: word });
        }
      }
      if (hasLeft) {
        this.left++;
        return;
      }
    }
    delta({}, calls > 0 ? 'tool_calls' : 'stop');
    send([], { usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } });
    response.end('data: [DONE]\n\n');
  }
}

function head(asked) {
  return { id: 'chatcmpl-wire', object: 'chat.completion.chunk', created: 1, model: asked.model ?? 'wire' };
}

/** Everything that the request told the model, as one text. */
function told(request) {
  return request.messages
    .map(({ content }) => (typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('\n')))
    .join('\n');
}

module.exports = { ModelWire, told };
