/** Outcome of a turn that started outside the chat. Pure. */
import type { TurnReport } from '../sessions/turn';

export type Outcome =
  | { kind: 'changed'; files: number }
  | { kind: 'said'; text: string }
  | { kind: 'failed'; message: string }
  | { kind: 'nothing' };

const SHOWN_CHARACTERS = 240;

/** Returns the outcome; an answer is shown only if the turn changed no file. */
export function outcomeOf({ result, text, changed, proposed }: TurnReport): Outcome {
  if (result.stopReason === 'error') {
    const { message = 'The turn failed.', hint = '' } = result.error ?? {};
    return { kind: 'failed', message: `${message} ${hint}`.trim() };
  }
  if (changed.length > 0) {
    return { kind: 'changed', files: changed.length };
  }
  const quiet = result.stopReason === 'cancelled' || result.stopReason === 'rejected' || proposed > 0;
  return quiet || text === '' ? { kind: 'nothing' } : { kind: 'said', text: shortened(text) };
}

/** Returns a paragraph of the text on one line, without links and commands. */
function shortened(text: string): string {
  const plain = text
    .replace(/[[\]()]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return plain.length <= SHOWN_CHARACTERS ? plain : `${plain.slice(0, SHOWN_CHARACTERS).trimEnd()}…`;
}
