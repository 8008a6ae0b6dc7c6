import { describe, expect, it } from 'vitest';
import { updateText } from '../src/chat/update_text';
import { STOPPED } from '../src/daemon/status';
import { type Facts, markdown, problemsOf, report } from '../src/doctor/report';
import { outcomeOf } from '../src/inline/outcome';
import { diagnosticsText, proposalText, reviewText } from '../src/language_model_tools/texts';
import { desktopCommands } from '../src/notifications/desktop';
import { LONG_TURN_MILLISECONDS, REMIND_MILLISECONDS, Reminders } from '../src/notifications/reminders';
import { SessionCosts } from '../src/sessions/costs';
import { commandLine, linked, sessionsIn } from '../src/sessions/links';
import { modeOf, modeOfSettings, reviewModeChoices } from '../src/sessions/review_mode_choices';
import { TurnListener, type TurnReport } from '../src/sessions/turn';
import { shown } from '../src/status/status';
import type { SessionEvent, Update } from '../src/wire';

const ZERO = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
const USAGE = { tokens: ZERO, cost: 0 };
const ended = (over: Partial<TurnReport> = {}): TurnReport => ({
  result: { stopReason: 'end_turn', usage: USAGE },
  text: '',
  changed: [],
  proposed: 0,
  ...over,
});
const usage = (messageId: string, cost: number): SessionEvent => ({
  sessionId: 'ses_1',
  seq: 1,
  update: {
    kind: 'usage_update',
    messageId,
    tokens: ZERO,
    cost,
    contextUsed: 12_345,
    contextSize: 200_000,
  },
});

it('the review modes are the three of the daemon, and any other setting leaves the choice to the daemon', () => {
  expect(reviewModeChoices().map(({ mode }) => modeOf(mode))).toEqual(['ask', 'stage', 'apply']);
  expect(modeOf('')).toBeUndefined();
});

describe('the review mode of new sessions', () => {
  it('is the mode of the workspace, the user, `placet.settings` or the default, in this order', () => {
    const settings = { globalValue: { review: 'apply' } };
    const workspaces = { ...settings, workspaceValue: { review: 'ask' } };
    expect(modeOfSettings({ workspaceValue: 'ask', globalValue: 'apply' }, settings, 'stage')).toBe('ask');
    expect(modeOfSettings({ globalValue: 'ask' }, workspaces, 'stage')).toBe('ask');
    expect(modeOfSettings({}, workspaces, 'stage')).toBe('ask');
    expect(modeOfSettings({}, settings, 'stage')).toBe('apply');
    expect(modeOfSettings({}, {}, 'stage')).toBe('stage');
    expect(modeOfSettings({ globalValue: 'files' }, settings, 'stage')).toBeUndefined();
  });

  it('is no mode of a workspace that writes before the user accepts, or may write', () => {
    for (const value of ['apply', 'files']) {
      const workspace = { workspaceValue: { review: value } };
      expect(modeOfSettings({ workspaceValue: value }, {}, 'stage')).toBe('stage');
      expect(modeOfSettings({ workspaceValue: value, globalValue: 'ask' }, workspace, 'stage')).toBe('ask');
      expect(modeOfSettings({}, workspace, 'stage')).toBe('stage');
      expect(modeOfSettings({}, { ...workspace, globalValue: { review: 'ask' } }, 'stage')).toBe('ask');
    }
    expect(modeOfSettings({ workspaceValue: 'apply', globalValue: 'apply' }, {}, 'stage')).toBe('apply');
  });
});

describe('a turn that was asked for in the text', () => {
  it('is heard from its own start on', () => {
    const listener = new TurnListener();
    const file = { uri: 'file:///a.py', kind: 'modify' as const, additions: 1, deletions: 1, diff: '' };
    const applied: Update = { kind: 'change_applied', messageId: 'm', changeId: 'c', files: [file] };
    listener.take(applied);
    listener.take({ kind: 'turn_started', turnId: 'msg_2' });
    expect(listener.report({ stopReason: 'end_turn', usage: USAGE }).changed).toEqual([]);
    listener.take(applied);
    expect(listener.report({ stopReason: 'end_turn', usage: USAGE }).changed).toEqual(['file:///a.py']);
  });

  it('tells its answer only where no change speaks for it', () => {
    expect(outcomeOf(ended({ text: 'It adds.' }))).toEqual({ kind: 'said', text: 'It adds.' });
    expect(outcomeOf(ended({ text: 'Done.', changed: ['file:///a.py'] }))).toEqual({ kind: 'changed', files: 1 });
    expect(outcomeOf(ended({ text: 'Not allowed.', proposed: 1 }))).toEqual({ kind: 'nothing' });
    expect(outcomeOf(ended({ result: { stopReason: 'cancelled', usage: USAGE }, text: 'I' }))).toEqual({
      kind: 'nothing',
    });
  });

  it('tells words of the model that cannot be links', () => {
    const outcome = outcomeOf(ended({ text: '[click](command:workbench.action.quit)\n\nme' }));
    expect(outcome).toEqual({ kind: 'said', text: 'click command:workbench.action.quit me' });
  });

  it('tells what went wrong and what to do', () => {
    const error = { code: 'auth', message: 'No key.', hint: 'Set one.' };
    expect(outcomeOf(ended({ result: { stopReason: 'error', error, usage: USAGE } }))).toEqual({
      kind: 'failed',
      message: 'No key. Set one.',
    });
  });
});

describe('what sessions cost', () => {
  it('is counted once a message, over what was spent before', () => {
    const spendings = new SessionCosts();
    const info = { id: 'ses_1', title: '', agent: '', model: '', baseModel: '', roots: [], created: 0, updated: 0 };
    spendings.opened({ ...info, usage: { tokens: ZERO, cost: 1 } });
    spendings.take(usage('a', 0.25));
    spendings.take(usage('a', 0.5));
    spendings.take(usage('b', 0.25));
    expect(spendings.of('ses_1')).toEqual({ cost: 1.75, contextUsed: 12_345, contextSize: 200_000 });
    expect(spendings.of('ses_2')).toBeUndefined();
  });

  it('is told in the status bar behind how it is', () => {
    const spending = { cost: 0.004, contextUsed: 12_345, contextSize: 200_000 };
    const { tooltip, command } = shown({ ...STOPPED, state: 'ready', version: '1' }, spending);
    expect(tooltip).toBe('Placet 1 is ready\nContext: 12k of 200k (6 %)\nSession cost: < $0.01');
    expect(command).toBe('placet.open');
  });

  it('is nothing where a subscription covers the answers, and the status bar says so', () => {
    const spendings = new SessionCosts();
    const event = usage('a', 0);
    spendings.take({ ...event, update: { ...event.update, subscription: true } as typeof event.update });
    const { tooltip } = shown({ ...STOPPED, state: 'ready', version: '1' }, spendings.of('ses_1'));
    expect(tooltip).toMatch(/\nSession cost: covered by the subscription$/);
  });
});

describe('while nobody looks', () => {
  it('an ask is told, told once more much later, and never again', () => {
    const due = new Reminders();
    expect(due.asks(['a'], 0)).toEqual(['a']);
    expect(due.asks(['a', 'b'], 1000)).toEqual(['b']);
    expect(due.asks(['a'], REMIND_MILLISECONDS)).toEqual(['a']);
    expect(due.asks(['a'], 10 * REMIND_MILLISECONDS)).toEqual([]);
  });

  it('what the user has seen is not told later', () => {
    const due = new Reminders();
    due.seen(['a']);
    expect(due.asks(['a'], 10 * REMIND_MILLISECONDS)).toEqual([]);
  });

  it('only turns that took long are told of', () => {
    const due = new Reminders();
    due.began('s', 0);
    expect(due.ended('s', LONG_TURN_MILLISECONDS - 1)).toBe(false);
    due.began('s', 0);
    expect(due.ended('s', LONG_TURN_MILLISECONDS)).toBe(true);
    expect(due.ended('s', LONG_TURN_MILLISECONDS)).toBe(false);
  });

  it('the desktop is given words, never options, markup or a script', () => {
    const notice = { title: '--help', body: '<b>rm</b> "$(x)"', actions: [{ id: 'once', label: 'Allow once' }] };
    const [withActions, without] = desktopCommands('linux', notice);
    expect(withActions?.parameters).toEqual([
      '--app-name=Placet',
      '--action=once=Allow once',
      '--',
      '--help',
      '&lt;b&gt;rm&lt;/b&gt; "$(x)"',
    ]);
    expect(without?.parameters.some((parameter) => parameter.startsWith('--action'))).toBe(false);
    const [mac] = desktopCommands('darwin', notice);
    expect(mac?.parameters.slice(-3)).toEqual(['--', '--help', '<b>rm</b> "$(x)"']);
    expect(desktopCommands('win32', notice)).toEqual([]);
  });
});

describe('names of sessions', () => {
  it('are links in a terminal', () => {
    const line = "In 'Rename' (ses_18f0c2d4a10003kLmNoPqRs):";
    const [link] = sessionsIn(line);
    expect(link && line.slice(link.startIndex, link.startIndex + link.length)).toBe('ses_18f0c2d4a10003kLmNoPqRs');
    expect(sessionsIn('uses_18f0c2d4a1 ses_1')).toEqual([]);
  });

  it('are what a link to the editor may hold, and nothing else', () => {
    expect(linked('/session/ses_18f0c2d4a10003kLmNoPqRs')).toEqual({
      kind: 'session',
      id: 'ses_18f0c2d4a10003kLmNoPqRs',
    });
    expect(linked('/answer')).toEqual({ kind: 'answer' });
    expect(linked('/session/../../etc')).toBeUndefined();
    expect(linked('/prompt/rm')).toBeUndefined();
  });

  it('go on in a terminal by the command that was found', () => {
    expect(commandLine(['/opt/my tools/placet', '--stdio'], 'ses_12345678')).toBe(
      '"/opt/my tools/placet" run --session ses_12345678',
    );
    expect(commandLine(['uv', 'tool', 'run', 'placet', '--stdio'], undefined)).toBe(
      'uv tool run placet run --continue',
    );
  });
});

describe('what other models are told', () => {
  const name = (uri: string) => uri.replace('file:///', '');

  it('of diagnostics says how far each file is to be believed', () => {
    const diagnostic = {
      message: 'no such name',
      severity: 1,
      source: 'pyright',
      code: 'x',
      range: { start: { line: 2, character: 4 }, end: { line: 2, character: 5 } },
    };
    const items = [
      { uri: 'file:///a.py', fresh: true, diagnostics: [diagnostic] },
      { uri: 'file:///b.py', fresh: false, diagnostics: [] },
      { uri: 'file:///c.txt', fresh: true, diagnostics: [], providers: [] },
    ];
    expect(diagnosticsText({ items }, name).split('\n')).toEqual([
      'a.py (fresh): 1 problem',
      '  3:5 error: no such name (pyright x)',
      'b.py (may be outdated): no problems',
      'c.txt (nobody checks this file): no problems',
    ]);
  });

  it('of a change says what really happened', () => {
    expect(proposalText(ended({ changed: ['file:///a.py'], proposed: 1, text: 'Done.' }), name)).toBe(
      'Changed: a.py.\nDone.',
    );
    expect(proposalText(ended({ proposed: 1, result: { stopReason: 'rejected', usage: USAGE } }), name)).toBe(
      'No file was changed.\nNot all that was proposed was allowed.\nThe user refused the change.',
    );
  });

  it('of the review names each file with its state, and what waits', () => {
    const file = { uri: 'file:///a.py', kind: 'modify' as const };
    const changes = [{ id: 'c', state: 'applied' as const, kind: 'edit' as const, undoes: [], files: [file] }];
    expect(reviewText(changes, ['Edit b.py'], name)).toBe(
      "applied: a.py (modify)\nwaits for the user's answer: Edit b.py",
    );
    expect(reviewText([], [], name)).toContain('nothing');
  });

  it('as it happens is text, and the work as progress', () => {
    expect(updateText({ kind: 'agent_message_chunk', messageId: 'm', partId: 'p', offset: 0, text: 'Hi' })).toEqual({
      kind: 'text',
      text: 'Hi',
    });
    expect(updateText({ kind: 'turn_started', turnId: 'm' })).toBeUndefined();
  });
});

describe('the doctor', () => {
  const candidate = { source: 'PATH', command: ['placet', '--stdio'] };
  const facts: Facts = {
    editor: 'VS Code 1.139',
    extension: '0.1.0',
    node: '22',
    platform: 'linux x64',
    isTrusted: true,
    remote: undefined,
    folders: ['/project'],
    virtualFolders: [],
    discovery: { candidate, looked: [{ candidate, program: '/bin/placet' }] },
    discoveryMilliseconds: 3,
    status: { ...STOPPED, state: 'ready' },
    programs: [],
    offers: [],
  };

  it('has nothing to do when all is well', () => {
    expect(problemsOf(facts)).toEqual([]);
    expect(markdown(report(facts))).toContain('no problems found');
  });

  it('says what is off in a folder that is not trusted, and how to trust it', () => {
    const [problem] = problemsOf({ ...facts, isTrusted: false });
    expect(problem).toContain('does not run');
    expect(problem).toContain('Manage Workspace Trust');
  });

  it('says how to install what is not there', () => {
    expect(problemsOf({ ...facts, discovery: { looked: [] } })[0]).toContain('Placet: Install');
  });

  it('names the rules that never decide and the agents that cannot be used', () => {
    const rule = { permission: 'bash', pattern: '*', action: 'ask' as const, source: 'placet.json', line: 4 };
    const problems = problemsOf({
      ...facts,
      permissions: { rules: [{ ...rule, warning: 'never decides' }], grants: [], problem: 'cannot be read' },
      agents: { agents: [], default: 'build', problems: ['tidy.md:3: no such tool'] },
    });
    expect(problems).toEqual(['cannot be read', 'placet.json:4: never decides', 'tidy.md:3: no such tool']);
  });
});
