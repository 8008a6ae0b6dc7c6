/** Changes that an earlier window, or an earlier daemon, left for a review: the daemon is asked before a command acts. */
import type { Agent } from '../daemon/agent';
import type { CurrentSession } from '../sessions/current';
import type { ChangeSet } from './change_set';

const MOST = 200;

type Commands = Record<string, (...parameters: never[]) => unknown>;

export class LeftChanges {
  constructor(
    private readonly agent: Agent,
    private readonly session: CurrentSession,
    private readonly set: ChangeSet,
  ) {}

  /**
   * Asks the daemon for the change set, unless the window follows a set already. Starts the daemon if needed; a window
   * without a session takes the last used session with changes to review. Throws NoDaemon.
   */
  async look(): Promise<void> {
    if (this.session.id && this.agent.status.state === 'ready') {
      return;
    }
    const { sessions } = await this.agent.request('agent/session/list', { limit: MOST });
    const left = sessions.find(({ toReview = 0 }) => toReview > 0);
    if (left && !this.session.id) {
      this.session.set(left.id);
    }
    await this.set.load();
  }

  /** Returns the commands, each of which first looks, so that no command says "none" unasked. */
  asking(commands: Commands): Commands {
    const asking = ([name, command]: [string, Commands[string]]) => [
      name,
      async (...parameters: never[]) => {
        await this.look();
        return command(...parameters);
      },
    ];
    return Object.fromEntries(Object.entries(commands).map(asking));
  }
}
