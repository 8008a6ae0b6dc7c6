/** A conversation with one of everything, as the daemon would tell it. */
const TOKENS = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
const ROOT = 'file:///home/ada/project';

export function user(id, text, more = {}) {
  const part = { id: `prt_${id}`, type: 'text', text, synthetic: false };
  const message = { role: 'user', id, created: 1, agent: 'build', model: 'acme/large', parts: [part], ...more };
  return { kind: 'user_message', message: { ...message, parts: [part, ...(more.parts ?? [])] } };
}

export function answer(id, parentId, more = {}) {
  const message = { role: 'assistant', id, parentId, created: 2, agent: 'build', model: 'acme/large', summary: false, tokens: TOKENS, cost: 0, parts: [], ...more };
  return { kind: 'agent_message', message };
}

export function text(messageId, partId, offset, piece, kind = 'agent_message_chunk') {
  return { kind, messageId, partId, offset, text: piece };
}

export function tool(messageId, partId, name, state) {
  return { kind: 'tool_call', messageId, part: { id: partId, type: 'tool', callId: `call_${partId}`, tool: name, state } };
}

export const DIFF = `--- a/hello.py
+++ b/hello.py
@@ -1,4 +1,5 @@
-def greet(name):
-    return "Hi " + name
+def welcome(name: str) -> str:
+    """Say welcome."""
+    return f"Welcome, {name}"
 
 
`;

const ANSWER = `I renamed \`greet\` to **welcome** everywhere, see [hello.py](src/hello.py#L1):

\`\`\`python
def welcome(name: str) -> str:
    """Say welcome."""
    return f"Welcome, {name}"  # 1 caller
\`\`\`

| File | Calls |
| --- | --- |
| \`hello.py\` | 1 |
| \`main.py\` | 2 |

- The tests pass.
- Nothing else uses it; the [docs](https://example.org/docs) say so too.`;

export function scene() {
  const file = { uri: `${ROOT}/src/hello.py`, kind: 'modify', additions: 3, deletions: 2, diff: DIFF };
  const other = { uri: `${ROOT}/main.py`, kind: 'modify', additions: 2, deletions: 2, diff: '' };
  const ran = { status: 'completed', attachments: [], start: 1000, end: 4200 };
  return [
    user('msg_1', 'Rename greet to welcome, with types, and run the tests', {
      parts: [{ id: 'prt_f', type: 'file', uri: `${ROOT}/src/hello.py`, mime: 'text/plain', range: { start: 1, end: 12 } }],
    }),
    { kind: 'turn_started', turnId: 'msg_1' },
    answer('msg_2', 'msg_1'),
    text('msg_2', 'prt_think', 0, 'The function is used in two files.\nI rename it through the language server.', 'agent_thought_chunk'),
    text('msg_2', 'prt_say', 0, 'First I look at who calls it.'),
    tool('msg_2', 'prt_read', 'read', { ...ran, input: { filePath: 'src/hello.py' }, title: 'src/hello.py', output: 'def greet(name):', metadata: {}, end: 1100 }),
    tool('msg_2', 'prt_edit', 'edit', { ...ran, input: { filePath: 'src/hello.py' }, title: 'src/hello.py', output: 'Applied.', metadata: {}, end: 1400 }),
    { kind: 'change_applied', messageId: 'msg_2', changeId: 'chg_1', callId: 'call_prt_edit', files: [file, other] },
    { kind: 'diagnostics_delta', messageId: 'msg_2', changeId: 'chg_1', added: [], removed: [{ message: 'x' }], fresh: true },
    tool('msg_2', 'prt_bash', 'bash', { ...ran, input: { command: 'pytest -q' }, title: 'Run the tests', output: '', metadata: { output: '....                [100%]\n4 passed in 0.31s\n', exit: 0 } }),
    tool('msg_2', 'prt_bad', 'grep', { status: 'error', input: { pattern: '(' }, title: '(', error: 'The pattern is not a regular expression: unclosed group.', metadata: {}, start: 1000, end: 1001 }),
    tool('msg_2', 'prt_task', 'task', { ...ran, input: {}, title: 'Find other callers', output: '', metadata: { agent: 'explore', sessionId: 'ses_child', state: 'completed' } }),
    { kind: 'plan', entries: [
      { content: 'Rename the function', status: 'completed', priority: 'high' },
      { content: 'Run the tests', status: 'in_progress', priority: 'medium' },
      { content: 'Update the docs', status: 'pending', priority: 'low' },
    ] },
    text('msg_2', 'prt_answer', 0, ANSWER),
    { kind: 'usage_update', messageId: 'msg_2', tokens: { ...TOKENS, input: 51_000, output: 900 }, cost: 0.0423, contextUsed: 51_900, contextSize: 200_000 },
    answer('msg_2', 'msg_1', { completed: 9, cost: 0.0423 }),
    { kind: 'turn_ended', turnId: 'msg_1', stopReason: 'end_turn' },
  ];
}

export function child() {
  const done = { status: 'completed', input: {}, output: '', metadata: {}, attachments: [], start: 1, end: 2 };
  return [
    user('msg_c1', 'Find other callers of greet'),
    answer('msg_c2', 'msg_c1'),
    tool('msg_c2', 'prt_c1', 'grep', { ...done, title: 'greet\\(' }),
    tool('msg_c2', 'prt_c2', 'read', { ...done, title: 'main.py' }),
    text('msg_c2', 'prt_c3', 0, 'Only `main.py` calls it, twice.'),
  ];
}

export function permission(more = {}) {
  return {
    kind: 'permission',
    id: 'per_1',
    request: {
      requestId: 'per_1',
      sessionId: 'ses_1',
      origin: [],
      toolCall: { messageId: 'msg_2', callId: 'call_x', tool: 'bash' },
      permission: 'bash',
      title: 'pytest -q && rm -r build',
      description: 'The model says: “Run the tests”',
      patterns: ['pytest *', 'rm *'],
      always: [
        { scope: 'session', patterns: ['pytest *'] },
        { scope: 'project', patterns: ['pytest *'] },
      ],
      rule: '`bash: *` -> ask (built in)',
      parts: [
        { pattern: 'pytest -q', action: 'ask', by: 'built in' },
        { pattern: 'rm -r build', action: 'ask', by: 'built in' },
      ],
      command: 'pytest -q && rm -r build',
      ...more,
    },
  };
}

export function editPermission() {
  const file = { uri: `${ROOT}/src/hello.py`, kind: 'modify', additions: 2, deletions: 1 };
  const asked = permission({
    title: 'Edit src/hello.py',
    description: undefined,
    toolCall: { messageId: 'msg_2', callId: 'call_y', tool: 'edit' },
    permission: 'edit',
    patterns: ['src/hello.py'],
    always: ['session', 'project'].map((scope) => ({ scope, patterns: ['src/hello.py'] })),
    parts: [],
    rule: '`edit: *` -> ask (built in)',
    changeId: 'chg_9',
  });
  delete asked.request.command;
  return { ...asked, id: 'per_2', files: [file], request: { ...asked.request, requestId: 'per_2', origin: ['build', 'explore'] } };
}

export function question() {
  return {
    kind: 'question',
    id: 'que_1',
    request: {
      sessionId: 'ses_1',
      questions: [{ header: 'Name', question: 'What should it be called?', multiple: false, custom: true, options: [
        { label: 'welcome', description: 'as the docs say' },
        { label: 'hello', description: '' },
      ] }],
    },
  };
}

/** A change of so many files, each with three changed lines. */
export function manyFiles(count) {
  const asked = editPermission();
  const [file] = asked.files;
  const files = Array.from({ length: count }, (_, number) => ({ ...file, uri: `${ROOT}/src/parcels/labels/part${number}.py` }));
  return { ...asked, id: `per_many${count}`, files, request: { ...asked.request, requestId: `per_many${count}`, origin: [], title: `Edit ${count} files`, changeId: 'chg_many' } };
}
