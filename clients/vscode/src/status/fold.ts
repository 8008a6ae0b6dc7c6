/** The status of the daemon as what happens in its sessions changes it. */
import type { Status } from '../agent';
import type { Update } from '../wire';

export const STOPPED: Status = { state: 'stopped', running: [], waiting: 0 };

/** The status after the event; the same object when nothing changes. */
export function afterUpdate(status: Status, sessionId: string, update: Update): Status {
  switch (update.kind) {
    case 'turn_started':
      return status.running.includes(sessionId) ? status : { ...status, running: [...status.running, sessionId] };
    case 'turn_ended':
      return status.running.includes(sessionId)
        ? { ...status, running: status.running.filter((one) => one !== sessionId) }
        : status;
    default:
      return status;
  }
}

export interface Shown {
  text: string;
  tooltip: string;
  command: string;
  isWarning: boolean;
}

/** As the status bar has it. Only what waits for the user has a colour. */
export function shown(status: Status): Shown {
  if (status.waiting > 0) {
    const tooltip =
      status.waiting === 1 ? 'Placet waits for your answer' : `${status.waiting} questions wait for your answer`;
    return { text: `$(bell-dot) Placet: ${status.waiting}`, tooltip, command: 'placet.answer', isWarning: true };
  }
  const calm = { command: 'placet.chat.focus', isWarning: false };
  switch (status.state) {
    case 'failed':
      return { text: '$(warning) Placet', tooltip: status.problem ?? '', command: 'placet.doctor', isWarning: false };
    case 'starting':
      return { ...calm, text: '$(loading~spin) Placet', tooltip: 'Placet starts' };
    case 'stopped':
      return { ...calm, text: '$(circle-slash) Placet', tooltip: 'Placet does not run; it starts when it is needed' };
    case 'ready':
      return status.running.length > 0
        ? { ...calm, text: '$(loading~spin) Placet', tooltip: 'Placet works' }
        : { ...calm, text: '$(check) Placet', tooltip: `Placet ${status.version ?? ''} is ready` };
  }
}
