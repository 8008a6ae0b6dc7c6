/** Begins a session with the choices of the window. */
import type { Send } from '../daemon/editor_side';
import type { NewSession, SessionInfo, Status } from '../wire';
import type { Preferences } from './preferred';
import { configuredMode } from './review_mode';

/**
 * Begins a session with the user's last choices. The choices and the mode belong to the sessions of this window: an
 * editor without a view of change sets may share the daemon.
 */
export async function beginSession(preferences: Preferences, send: Send, params: NewSession): Promise<SessionInfo> {
  const { model, effort } = preferences.current;
  const isChosen = !params.model && model !== undefined;
  const byDefault = isChosen ? (await send<Status>('agent/status', {})).model?.id : undefined;
  const chosen = isChosen ? preferences.model(byDefault) : undefined;
  let info = await send<SessionInfo>('agent/session/new', { ...params, ...(chosen && { model: chosen }) });
  if (effort !== undefined && !params.model) {
    info = await send('agent/session/setEffort', { sessionId: info.id, effort });
  }
  const review = configuredMode();
  if (review) {
    info = await send('agent/session/setReview', { sessionId: info.id, review });
  }
  return info;
}
