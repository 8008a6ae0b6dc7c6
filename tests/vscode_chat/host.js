/** In the page, in place of VS Code: keeps what the page says, and answers it as a small scripted daemon. */
(() => {
  const tokens = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
  const info = (id, title) => ({
    id,
    title,
    agent: 'build',
    model: 'acme/large',
    baseModel: 'acme/large',
    roots: ['file:///home/ada/project'],
    created: Date.now() - 7_200_000,
    updated: Date.now() - 3_600_000,
  });
  const say = (message) => window.dispatchEvent(new MessageEvent('message', { data: message }));
  const host = {
    said: [],
    state: undefined,
    seq: 0,
    sessions: [info('ses_1', 'Rename greet to welcome'), info('ses_2', 'Why is the build slow?')],
    /** Events by session, as `agent/session/load` tells them. */
    events: JSON.parse(sessionStorage.getItem('events') ?? '{}'),
    /** Prompts without an answer yet, by the ids of the requests: how to answer each, or to fail it. */
    prompts: JSON.parse(sessionStorage.getItem('prompts') ?? '{}'),
    /** Requests that are about to be answered; a prompt is not, as the test answers it. */
    answering: 0,
    /** How often the page has had its state kept; `keptAtScroll`: how often when the list last moved. */
    kept: 0,
    keptAtScroll: undefined,
    say,
    update(update, sessionId = 'ses_1') {
      host.seq++;
      const event = { sessionId, seq: host.seq, update };
      host.events[sessionId] ??= [];
      host.events[sessionId].push(event);
      return event;
    },
    push(...updates) {
      say({ type: 'events', events: updates.map((one) => host.update(one)) });
    },
    answers: {
      'agent/session/list': ({ query }) => ({
        sessions: host.sessions.filter((one) => one.title.toLowerCase().includes(query.toLowerCase())),
      }),
      'agent/session/new': () => {
        const one = info('ses_1', 'New session');
        return one;
      },
      'agent/session/load': ({ sessionId, since = 0 }) => ({
        session: host.sessions.find((one) => one.id === sessionId) ?? { ...info(sessionId, 'A subagent'), parentId: 'ses_1' },
        events: (host.events[sessionId] ?? []).filter((one) => one.seq > since),
      }),
      'agent/session/fork': () => {
        host.sessions.push(info('ses_3', 'Rename greet to welcome (fork)'));
        return host.sessions.at(-1);
      },
      'agent/session/export': () => ({ text: '# Rename greet to welcome\n' }),
      'agent/session/rename': ({ sessionId, title }) => info(sessionId, title),
      'agent/session/delete': () => null,
      'agent/session/compact': () => ({ tokensBefore: 100_000, tokensAfter: 4_000 }),
      'agent/session/setAgent': ({ sessionId, agent }) => ({ ...info(sessionId, 'x'), agent }),
      'agent/session/setModel': ({ sessionId, model }) => ({ ...info(sessionId, 'x'), model }),
      'agent/session/setEffort': ({ sessionId, effort }) => ({ ...info(sessionId, 'x'), ...(effort !== null && { effort }) }),
      'agent/session/setReview': ({ sessionId, review }) => ({ ...info(sessionId, 'x'), review }),
      'agent/session/setCaution': ({ sessionId, caution }) => ({ ...info(sessionId, 'x'), caution }),
      'agent/prompt': (params, id) =>
        new Promise((resolve, reject) => {
          host.prompts[id] = { params, resolve, reject: (words) => reject(new Error(words)) };
        }),
      'agent/back/preview': () => ({ files: [], staged: [], prompts: 1, effects: [] }),
      'agent/undo': () => ({ files: [{ uri: 'file:///home/ada/project/hello.py', status: 'restored' }] }),
      'agent/redo': () => ({ files: [] }),
      'agent/changes': () => ({ changes: [] }),
      'agent/models': () => ({
        models: [
          { id: 'acme/large', default: true, contextSize: 200_000, inputPrice: 3, outputPrice: 15, efforts: ['low', 'medium', 'high'] },
          { id: 'acme/small', default: false, contextSize: 64_000, efforts: [] },
        ],
        total: 2,
      }),
      'agent/agents': () => ({
        agents: [
          { name: 'build', description: 'Does the work', mode: 'primary', source: 'built in' },
          { name: 'plan', description: 'Only plans', mode: 'primary', source: 'built in' },
          { name: 'explore', description: 'Looks around', mode: 'subagent', source: 'built in' },
        ],
        default: 'build',
        problems: [],
      }),
      'agent/commands': () => ({ commands: [{ name: 'init', description: 'Write AGENTS.md' }] }),
      'agent/complete': ({ text, position }) => {
        const line = text.split('\n')[position.line];
        const start = line.lastIndexOf('@', position.character);
        const query = line.slice(start + 1, position.character).replaceAll('"', '');
        const range = { start: { line: position.line, character: start }, end: position };
        const items = ['src/hello.py', 'src/with space.py', 'src/', 'README.md']
          .filter((path) => path.includes(query))
          .map((path) => ({
            label: path,
            detail: path.endsWith('/') ? 'directory' : 'open',
            kind: 17,
            filterText: `@${query}`,
            sortText: '0',
            data: { kind: 'file' },
            textEdit: { range, newText: path.includes(' ') ? `@"${path}"` : `@${path}` },
          }));
        return { isIncomplete: true, items };
      },
      'agent/status': () => ({ version: '1', pid: 1, running: host.running ?? JSON.parse(sessionStorage.getItem('running') ?? '[]'), pending: 0, model: host.login ?? { id: 'acme/large', key: 'environment', variables: [] }, localModel: host.localModel }),
      'host/complete': ({ query }) =>
        ['src/hello.py', 'src/with space.py', 'README.md']
          .filter((path) => path.includes(query))
          .map((path) => ({ kind: 'file', label: path.split('/').at(-1), detail: path, mention: path })),
      'host/confirm': () => true,
      'host/input': () => 'A better title',
      'host/save': () => true,
      'host/pick': () => [{ type: 'file', uri: 'file:///home/ada/project/logo.png', mime: 'image/png', name: 'logo.png' }],
      'host/mentions': ({ uris }) => uris.map((uri) => decodeURIComponent(uri.split('/project/')[1] ?? '')).filter(Boolean),
    },
  };
  const isAnswered = (method) => (method === 'agent/prompt' ? 0 : 1);
  async function serve({ id, method, params }) {
    try {
      say({ type: 'answered', id, result: await host.answers[method](params, id) });
    } catch (error) {
      say({ type: 'failed', id, message: error.message });
    }
    host.answering -= isAnswered(method);
  }
  window.fakeHost = host;
  window.tokens = tokens;
  window.acquireVsCodeApi = () => ({
    postMessage(message) {
      host.said.push(structuredClone(message));
      if (message.type === 'request') {
        host.answering += isAnswered(message.method);
        setTimeout(() => serve(message));
      } else if (message.type === 'ready') {
        setTimeout(() => {
          say({ type: 'status', status: { state: 'ready', running: [], waiting: 0 } });
          say({ type: 'opening', opening: 1 });
          const prompts = Object.entries(host.prompts).map(([id, { params }]) => ({ id: Number(id), params }));
          say({ type: 'prompts', prompts });
        });
      }
    },
    getState: () => host.state ?? JSON.parse(sessionStorage.getItem('state') ?? 'null') ?? undefined,
    setState(state) {
      host.state = state;
      host.kept++;
      sessionStorage.setItem('state', JSON.stringify(state));
    },
  });
  const moved = () => {
    host.keptAtScroll = host.kept;
  };
  document.addEventListener('scroll', moved, { capture: true });
})();
