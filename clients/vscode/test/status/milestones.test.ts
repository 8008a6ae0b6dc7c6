import { beforeEach, expect, test, vi } from 'vitest';
import type { Agent, Status } from '../../src/daemon/agent';
import type { Preferences } from '../../src/sessions/preferred';
import { Milestones } from '../../src/status/milestones';
import type { Login, SessionEvent, Update } from '../../src/wire';

const vscode = vi.hoisted(() => ({
  contexts: [] as unknown[],
  reviewMode: undefined as string | undefined,
  configured: (_: { affectsConfiguration(name: string): boolean }) => {},
}));
vi.mock('vscode', () => ({
  Disposable: { from: () => ({ dispose: () => {} }) },
  commands: { executeCommand: (_: string, name: string) => vscode.contexts.push(name) },
  workspace: {
    getConfiguration: () => ({ inspect: () => ({ globalValue: vscode.reviewMode }) }),
    onDidChangeConfiguration: (listener: typeof vscode.configured) => {
      vscode.configured = listener;
    },
  },
}));

beforeEach(() => {
  vscode.contexts.length = 0;
  vscode.reviewMode = undefined;
});

function opened(model: Login | undefined) {
  let tell = (_: SessionEvent) => {};
  let say = (_: Status) => {};
  const status: Status = { state: 'starting', running: [], waiting: 0 };
  const agent = {
    status,
    request: async () => ({ model }),
    onUpdate: (listener: typeof tell) => {
      tell = listener;
    },
    onStatus: (listener: typeof say) => {
      say = listener;
    },
  };
  const preferences = { onDidChange: () => {}, current: {} } as unknown as Preferences;
  new Milestones(agent as unknown as Agent, preferences);
  return {
    update: (update: Update) => tell({ sessionId: 'ses_1', seq: 1, update }),
    become: async (state: Status['state']) => {
      status.state = state;
      say(status);
      await Promise.resolve();
    },
  };
}

test('nothing is reached by looking', async () => {
  const { become } = opened(undefined);
  await become('failed');
  expect(vscode.contexts).toEqual([]);
});

test('the program is installed once the daemon runs, and a model is there once its key is', async () => {
  const { become } = opened({ id: 'acme/large', key: 'missing', variables: [] });
  await become('ready');
  expect(vscode.contexts).toEqual(['placet.isInstalled']);
  const other = opened({ id: 'acme/large', key: 'environment', variables: [] });
  await other.become('ready');
  expect(vscode.contexts).toEqual(['placet.isInstalled', 'placet.isInstalled', 'placet.hasModel']);
});

test('the way of reviewing is chosen by a choice for a session, or by the setting', () => {
  const { update } = opened(undefined);
  update({ kind: 'turn_started', turnId: 'msg_1' });
  expect(vscode.contexts).toEqual([]);
  update({ kind: 'caution_update', caution: 'more' });
  update({ kind: 'review_mode_update', review: 'ask' });
  expect(vscode.contexts).toEqual(['placet.hasChosenReview']);
  vscode.contexts.length = 0;
  opened(undefined);
  vscode.reviewMode = 'stage';
  vscode.configured({ affectsConfiguration: (name) => name === 'placet.reviewMode' });
  expect(vscode.contexts).toEqual(['placet.hasChosenReview']);
});

test('the first fix is made by a turn that ends well', () => {
  const { update } = opened(undefined);
  update({ kind: 'turn_ended', turnId: 'msg_1', stopReason: 'cancelled' });
  expect(vscode.contexts).toEqual([]);
  update({ kind: 'turn_ended', turnId: 'msg_1', stopReason: 'end_turn' });
  expect(vscode.contexts).toEqual(['placet.hasAnswered']);
});
