/** Runs one turn from the prompt to the end, and collects the answer and the changes. */
import type { CancellationToken } from 'vscode';
import type { Agent } from '../daemon/agent';
import type { PromptPart, PromptResult, Update } from '../wire';
import { Transcript } from './transcript';

/** Result of an ended turn. */
export interface TurnReport {
  result: PromptResult;
  /** Text of the last answer of the model. */
  text: string;
  /** URIs of the changed files. */
  changed: readonly string[];
  /** Number of the proposed changes. */
  proposed: number;
}

export interface TurnOptions {
  token?: CancellationToken | undefined;
  /** Called with each event of the session while the request is open. */
  onUpdate?: ((update: Update) => void) | undefined;
}

/** Collects the answer and the changes of the turn that started last. */
export class TurnListener {
  private transcript = new Transcript();
  private changed = new Set<string>();
  private proposed = 0;

  take(update: Update): void {
    this.transcript.apply(update);
    switch (update.kind) {
      case 'turn_started':
        this.changed = new Set();
        this.proposed = 0;
        break;
      case 'change_proposed':
        this.proposed++;
        break;
      case 'change_applied':
        for (const file of update.files) {
          this.changed.add(file.newUri ?? file.uri);
        }
        break;
      default:
        break;
    }
  }

  report(result: PromptResult): TurnReport {
    const last = this.transcript.messages.findLast((message) => message.role === 'assistant');
    const texts = (last?.parts ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : []));
    return { result, text: texts.join('\n\n').trim(), changed: [...this.changed], proposed: this.proposed };
  }
}

/** Sends a prompt, behind waiting prompts, and waits for the end of the turn. Rejects with the daemon's message. */
export async function turn(
  agent: Agent,
  sessionId: string,
  parts: PromptPart[],
  options: TurnOptions = {},
): Promise<TurnReport> {
  const listener = new TurnListener();
  const listening = agent.onUpdate((event) => {
    if (event.sessionId === sessionId) {
      listener.take(event.update);
      options.onUpdate?.(event.update);
    }
  });
  try {
    const params = { sessionId, parts, queue: 'after' as const };
    return listener.report(await agent.request('agent/prompt', params, options.token));
  } finally {
    listening.dispose();
  }
}
