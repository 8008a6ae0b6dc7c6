import { describe, expect, it } from 'vitest';
import { BackOff } from '../../src/daemon/back_off';
import { candidates, firstPresent } from '../../src/daemon/candidates';
import { declaration, greetingOf } from '../../src/daemon/handshake';
import { afterUpdate, STOPPED } from '../../src/daemon/status';
import { shown } from '../../src/status/status';
import { PROTOCOL } from '../../src/wire';

const around = { setting: [], trustedFolders: [], platform: 'linux' as const };

describe('the daemon is looked for', () => {
  it('nowhere else once the setting names it', async () => {
    const all = candidates({ ...around, setting: ['/opt/placet', '--stdio'], python: '/env/bin/python' });
    expect(all.map((candidate) => candidate.command)).toEqual([['/opt/placet', '--stdio']]);
    expect((await firstPresent(all, async () => undefined)).candidate).toBeUndefined();
  });

  it('on PATH, in the home folder, beside the selected Python, in trusted folders, and among the tools of uv', () => {
    const all = candidates({ ...around, python: '/env/bin/python', home: '/home/me', trustedFolders: ['/project'] });
    expect(all.map((candidate) => candidate.command[0])).toEqual([
      'placet',
      '/home/me/.local/bin/placet',
      '/env/bin/placet',
      '/project/.venv/bin/placet',
      '/project/venv/bin/placet',
      'uv',
    ]);
  });

  it('under its Windows name', () => {
    const all = candidates({
      ...around,
      platform: 'win32',
      python: 'C:\\env\\Scripts\\python.exe',
      trustedFolders: ['C:\\w'],
    });
    expect(all.map((candidate) => candidate.command[0])).toContain('C:\\env\\Scripts\\placet.exe');
    expect(all.map((candidate) => candidate.command[0])).toContain('C:\\w\\.venv\\Scripts\\placet.exe');
  });

  it('until the first that is there, which is started by its path', async () => {
    const all = candidates({ ...around, trustedFolders: ['/project'] });
    const there = async (program: string) => (program === '/project/venv/bin/placet' ? program : undefined);
    const { candidate, looked } = await firstPresent(all, there);
    expect(candidate?.source).toBe('venv of project');
    expect(looked).toHaveLength(3);
  });
});

it('a daemon that dies again and again is left dead, until the user wants it', () => {
  const backOff = new BackOff();
  const waits = [0, 1, 2, 3, 4, 5].map((second) => backOff.died(second * 1000));
  expect(waits).toEqual([500, 1500, 4500, 13500, 40500, undefined]);
  backOff.forget();
  expect(backOff.died(6000)).toBe(500);
  expect(backOff.died(600_000)).toBe(500);
});

describe('the handshake', () => {
  it('declares what is served and nothing else', () => {
    const declared = declaration(
      ['workspace/applyEdit', 'editor/save', 'editor/diagnostics'],
      ['textDocument/hover'],
      true,
    );
    expect(declared.requests).toEqual(['editor/diagnostics', 'editor/save']);
    expect(declared).toMatchObject({
      protocol: PROTOCOL,
      strictApply: true,
      languageFeatures: ['textDocument/hover'],
      trusted: true,
    });
  });

  it('says what to update when the versions differ', () => {
    const of = (protocol: unknown) => greetingOf({ experimental: { agent: { protocol, version: '9.1' } } });
    expect(of(PROTOCOL)).toEqual({ version: '9.1' });
    expect(of(PROTOCOL + 1).problem).toContain('Update this extension');
    expect(of(PROTOCOL - 1).problem).toContain('uv tool upgrade placet');
    expect(greetingOf({}).problem).toContain('not Placet');
  });
});

describe('the status', () => {
  it('knows which sessions run', () => {
    const ready = { ...STOPPED, state: 'ready' as const };
    const running = afterUpdate(ready, 'ses_1', { kind: 'turn_started', turnId: 'm' });
    expect(running.running).toEqual(['ses_1']);
    expect(shown(running).text).toContain('loading~spin');
    const ended = afterUpdate(running, 'ses_1', { kind: 'turn_ended', turnId: 'm', stopReason: 'end_turn' });
    expect(ended).toEqual(ready);
    expect(afterUpdate(ended, 'ses_1', { kind: 'notice', turnId: 'm', code: 'c', message: 'm', hint: '' })).toBe(ended);
  });

  it('warns only when the user is waited for', () => {
    const states = ['stopped', 'starting', 'ready', 'failed'] as const;
    expect(states.map((state) => shown({ ...STOPPED, state }).isWarning)).toEqual([false, false, false, false]);
    expect(shown({ ...STOPPED, state: 'ready', waiting: 2 })).toMatchObject({
      isWarning: true,
      command: 'placet.answer',
    });
  });
});
