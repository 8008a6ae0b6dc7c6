/**
 * Transcript of a session, built from the session's events: the twin of daemon/placet/core/transcript.py, with the same
 * results.
 */
import type {
  AgentMessageChunk,
  AgentThoughtChunk,
  AssistantMessage,
  ChangeApplied,
  Message,
  Part,
  PatchPart,
  Retry,
  RetryPart,
  ToolResultCleared,
  Update,
  UserMessage,
} from '../wire';

/** Part of the transcript that an event changed: a message, or a part of a message. */
export interface Touched {
  messageId: string;
  partId?: string;
}

/** Message under construction: the fields of the message, and the parts. */
interface Entry {
  message: Message;
  parts: Map<string, Part>;
  /** Lengths of the growing parts, in code points. */
  lengths: Map<string, number>;
  whole: Message | undefined;
}

/** Transcript that only `apply` changes. Messages and parts are replaced, never changed in place. */
export class Transcript {
  readonly #entries = new Map<string, Entry>();

  /** Returns all messages with their parts, in order; an unchanged message is the same object as before. */
  get messages(): Message[] {
    return [...this.#entries.values()].map(whole);
  }

  /** Returns one message with the parts. */
  message(messageId: string): Message | undefined {
    const entry = this.#entries.get(messageId);
    return entry && whole(entry);
  }

  /** Applies one event; returns undefined when the event leaves no trace, or names an unknown message. */
  apply(update: Update): Touched | undefined {
    switch (update.kind) {
      case 'user_message':
        return this.#add(update.message);
      case 'agent_message': {
        const entry = this.#entries.get(update.message.id);
        return entry ? change(entry, update.message) : this.#add(update.message);
      }
      case 'turn_ended': {
        const entry = this.#entries.get(update.turnId);
        return entry && change(entry, endedTurn(entry.message as UserMessage, update.stopReason, update.error));
      }
      case 'agent_message_chunk':
        return this.#with(update.messageId, (entry) => addText(entry, update));
      case 'agent_thought_chunk':
        return this.#with(update.messageId, (entry) => addThought(entry, update));
      case 'tool_call':
      case 'tool_call_update':
      case 'compaction':
        return this.#with(update.messageId, (entry) => put(entry, update.part));
      case 'usage_update':
        return this.#with(update.messageId, (entry) =>
          change(entry, { ...(entry.message as AssistantMessage), tokens: update.tokens, cost: update.cost }),
        );
      case 'change_applied':
        if (update.madeIn !== undefined) {
          return undefined;
        }
        return this.#with(update.messageId, (entry) => put(entry, patchPart(update)));
      case 'change_reverted':
        if (update.madeIn !== undefined) {
          return undefined;
        }
        return this.#with(update.messageId, (entry) => revertPatch(entry, update.changeId));
      case 'retry':
        return this.#with(update.messageId, (entry) => put(entry, retryPart(update)));
      case 'tool_result_cleared':
        return this.#with(update.messageId, (entry) => clearResult(entry, update));
      case 'session_back':
        this.#hide(update.messageId);
        return undefined;
      case 'turn_started':
      case 'plan':
      case 'session_info_update':
      case 'current_mode_update':
      case 'review_mode_update':
      case 'caution_update':
      case 'effort_update':
      case 'profile_update':
      case 'queue_update':
      case 'available_commands_update':
      case 'change_proposed':
      case 'change_set_update':
      case 'diagnostics_delta':
      case 'notice':
        return undefined;
      default:
        return unknown(update);
    }
  }

  #with(messageId: string, apply: (entry: Entry) => Touched | undefined): Touched | undefined {
    const entry = this.#entries.get(messageId);
    return entry && apply(entry);
  }

  /** Takes out the message and all later messages; a redo tells the messages again. */
  #hide(first: string | undefined): void {
    for (const messageId of first === undefined ? [] : [...this.#entries.keys()]) {
      if (first !== undefined && messageId >= first) {
        this.#entries.delete(messageId);
      }
    }
  }

  #add(message: Message): Touched {
    const parts = new Map(message.parts.map((part) => [part.id, part]));
    this.#entries.set(message.id, { message, parts, lengths: new Map(), whole: undefined });
    return { messageId: message.id };
  }
}

/** Returns the number of code points of a text, as Python counts. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let index = 0; index + 1 < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit <= 0xdbff) {
      const next = text.charCodeAt(index + 1);
      if (next >= 0xdc00 && next <= 0xdfff) {
        count--;
        index++;
      }
    }
  }
  return count;
}

function whole(entry: Entry): Message {
  entry.whole ??= { ...entry.message, parts: [...entry.parts.values()] };
  return entry.whole;
}

function change(entry: Entry, message: Message): Touched {
  entry.message = message;
  entry.whole = undefined;
  return { messageId: message.id };
}

function put(entry: Entry, part: Part): Touched {
  entry.parts.set(part.id, part);
  entry.whole = undefined;
  return { messageId: entry.message.id, partId: part.id };
}

function addText(entry: Entry, chunk: AgentMessageChunk): Touched {
  const part = entry.parts.get(chunk.partId) ?? { id: chunk.partId, type: 'text', text: '', synthetic: false };
  return put(entry, grown(entry, part, chunk.offset, chunk.text));
}

function addThought(entry: Entry, chunk: AgentThoughtChunk): Touched {
  const part = entry.parts.get(chunk.partId) ?? { id: chunk.partId, type: 'reasoning', text: '' };
  const seals = {
    ...(chunk.signature !== undefined && { signature: chunk.signature }),
    ...(chunk.redacted !== undefined && { redacted: chunk.redacted }),
  };
  return put(entry, grown(entry, { ...part, ...seals } as Part, chunk.offset, chunk.text));
}

function revertPatch(entry: Entry, changeId: string): Touched | undefined {
  const part = entry.parts.get(patchId(changeId));
  return part?.type === 'patch' ? put(entry, { ...part, reverted: true }) : undefined;
}

function clearResult(entry: Entry, cleared: ToolResultCleared): Touched | undefined {
  const part = entry.parts.get(cleared.partId);
  return part?.type === 'tool' && part.state.status === 'completed'
    ? put(entry, { ...part, state: { ...part.state, compacted: cleared.at } })
    : undefined;
}

/** Returns the part with a text at an offset, which is the end of the part unless an event came twice. */
function grown(entry: Entry, part: Part, offset: number, text: string): Part {
  if (part.type !== 'text' && part.type !== 'reasoning') {
    return part;
  }
  const length = entry.lengths.get(part.id) ?? codePoints(part.text);
  const before = offset === length ? part.text : firstCodePoints(part.text, offset);
  entry.lengths.set(part.id, offset + codePoints(text));
  return { ...part, text: before + text };
}

function firstCodePoints(text: string, count: number): string {
  let index = 0;
  for (let left = count; left > 0 && index < text.length; left--) {
    index += (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, index);
}

function endedTurn(
  message: UserMessage,
  stopReason: NonNullable<UserMessage['stopReason']>,
  error: UserMessage['error'],
): UserMessage {
  const { error: _, ...rest } = message;
  return { ...rest, stopReason, ...(error && { error }) };
}

function patchId(changeId: string): string {
  return `prt_${behindFirst(changeId)}`;
}

function behindFirst(id: string): string {
  const place = id.indexOf('_');
  return place < 0 ? '' : id.slice(place + 1);
}

function patchPart(applied: ChangeApplied): PatchPart {
  return {
    id: patchId(applied.changeId),
    type: 'patch',
    changeId: applied.changeId,
    ...(applied.callId !== undefined && { callId: applied.callId }),
    uris: applied.files.map((file) => file.uri),
    additions: applied.files.reduce((sum, file) => sum + file.additions, 0),
    deletions: applied.files.reduce((sum, file) => sum + file.deletions, 0),
    reverted: false,
  };
}

function retryPart(retry: Retry): RetryPart {
  return {
    id: `prt_${behindFirst(retry.messageId)}${String(retry.attempt).padStart(2, '0')}`,
    type: 'retry',
    attempt: retry.attempt,
    waitSeconds: retry.waitSeconds,
    error: retry.error,
  };
}

/** Ignores an event that this client does not know: a newer daemon may send such events. */
function unknown(_: never): undefined {
  return undefined;
}
