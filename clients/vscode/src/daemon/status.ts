/** Status of the daemon, updated by the events of the sessions. Pure. */
import type { Update } from '../wire';
import type { Status } from './agent';

export const STOPPED: Status = { state: 'stopped', running: [], waiting: 0 };

/** Returns the status after an event; the same object when nothing changes. */
export function afterUpdate(status: Status, sessionId: string, update: Update): Status {
  switch (update.kind) {
    case 'turn_started':
      return status.running.includes(sessionId) ? status : { ...status, running: [...status.running, sessionId] };
    case 'turn_ended':
      return status.running.includes(sessionId)
        ? { ...status, running: status.running.filter((running) => running !== sessionId) }
        : status;
    default:
      return status;
  }
}
