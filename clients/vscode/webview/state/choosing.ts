/** Choices of the composer: of the open session, or of the session that the next prompt starts. */
import { type Caution, cautionOf } from '../../src/sessions/caution_choices';
import { type Effort, effortOf } from '../../src/sessions/effort_choices';
import { isInForce, type Preferred } from '../../src/sessions/preferred_model';
import { type Mode, modeOf } from '../../src/sessions/review_mode_choices';
import type { ModelInfo, SessionInfo } from '../../src/wire';
import { request } from './host';
import type { Lists } from './lists';

/** Facts on which the choices depend. */
interface Facts {
  readonly conversation: { readonly info: SessionInfo } | undefined;
  /** Review of the session of the page, if the commands of the window apply to the session. */
  readonly ownReview: { readonly mode: Mode } | undefined;
  readonly preferred: Preferred;
  readonly lists: Lists;
}

export type Choosable = 'agent' | 'model' | 'effort' | 'review' | 'caution';

/** Choices for the next session that no preference of the user keeps. */
export interface Chosen {
  agent?: string | undefined;
  review?: Mode | undefined;
  caution?: Caution | undefined;
}

/** Choices that count now. */
export interface Current {
  agent: string | undefined;
  model: string | undefined;
  effort: Effort | undefined;
  review: Mode | undefined;
  caution: Caution;
}

export function currentChoices({ conversation, ownReview, preferred, lists }: Facts, chosen: Chosen): Current {
  if (conversation) {
    const { agent, model, effort, review, caution = 'default' } = conversation.info;
    return { agent, model, effort, review: ownReview?.mode ?? review, caution };
  }
  const byDefault = lists.models.find((model) => model.default)?.id;
  return {
    agent: chosen.agent ?? lists.defaultAgent,
    model: isInForce(preferred, byDefault) ? preferred.model : byDefault,
    effort: preferred.effort,
    review: chosen.review ?? ownReview?.mode,
    caution: chosen.caution ?? 'default',
  };
}

/** Returns the model's facts, as far as the daemon has listed the model. */
export function modelInfo({ lists }: Facts, id: string | undefined): ModelInfo | undefined {
  return lists.models.find((model) => model.id === id);
}

/** Chooses for the open session; returns the session as the daemon describes the session afterwards. */
export async function chooseForSession(kind: Choosable, sessionId: string, id: string): Promise<SessionInfo> {
  switch (kind) {
    case 'agent':
      return request('agent/session/setAgent', { sessionId, agent: id });
    case 'model':
      return request('agent/session/setModel', { sessionId, model: id });
    case 'effort':
      return request('agent/session/setEffort', { sessionId, effort: effortOf(id) ?? null });
    case 'review':
      return request('agent/session/setReview', { sessionId, review: modeOf(id) ?? 'ask' });
    case 'caution':
      return request('agent/session/setCaution', { sessionId, caution: cautionOf(id) ?? 'default' });
  }
}

/** Returns the choices for the next session with one more choice. */
export function withChoice(chosen: Chosen, kind: Choosable, id: string): Chosen {
  switch (kind) {
    case 'agent':
      return { ...chosen, agent: id };
    case 'review':
      return { ...chosen, review: modeOf(id) };
    case 'caution':
      return { ...chosen, caution: cautionOf(id) };
    default:
      return chosen;
  }
}
