/** The user's last choice of a model and an effort. Pure. */
import type { Effort } from './effort_choices';

export interface Preferred {
  model?: string;
  /** Model of the settings when the user chose `model`. */
  over?: string | undefined;
  effort?: Effort | undefined;
}

/** Returns true if the chosen model still counts: a model that the settings name since then counts instead. */
export function isInForce({ model, over }: Preferred, byDefault: string | undefined): boolean {
  return model !== undefined && (over === undefined || byDefault === undefined || over === byDefault);
}

/** Returns the preference that a page has sent; undefined for anything else. */
export function readPreferred(raw: Readonly<Record<string, unknown>>): Preferred | undefined {
  const { model, over, effort } = raw;
  const fits =
    [model, over].every((name) => name === undefined || typeof name === 'string') &&
    (effort === undefined || effort === null || typeof effort === 'string' || typeof effort === 'number');
  if (!fits) {
    return undefined;
  }
  return {
    ...(typeof model === 'string' && { model, over: over as string | undefined }),
    ...(effort !== undefined && { effort: (effort ?? undefined) as Effort | undefined }),
  };
}
