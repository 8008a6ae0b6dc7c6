/** The page's end of the bridge to the extension host. */
import type { FromPage, PageMethod, PageRequests, ToPage } from '../../src/chat/messages';

/** What outlives the page when it is hidden; all else is the daemon's. */
export interface Kept {
  sessionId?: string | undefined;
  draft?: string | undefined;
  prompts?: readonly string[] | undefined;
  /** Prompts that wait for a turn's end. */
  waiting?: readonly string[] | undefined;
  /** The first row on the screen, by key; absent at the end. */
  place?: string | undefined;
}

interface Api {
  postMessage(message: FromPage): void;
  getState(): Kept | undefined;
  setState(state: Kept): void;
}

declare function acquireVsCodeApi(): Api;

const api = acquireVsCodeApi();
const waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
/** No request of an earlier page has the same. */
let lastId = Date.now() * 1000;
let kept: Kept = api.getState() ?? {};

export function post(message: FromPage): void {
  api.postMessage(message);
}

/** Ask the daemon or the extension host. Rejects with words for the user. */
export function request<M extends PageMethod>(
  method: M,
  params: PageRequests[M]['params'],
): Promise<PageRequests[M]['result']> {
  return begin(method, params).answer;
}

export interface Asked<T> {
  id: number;
  answer: Promise<T>;
}

/** As `request`, for one that can be cancelled by its id. */
export function begin<M extends PageMethod>(
  method: M,
  params: PageRequests[M]['params'],
): Asked<PageRequests[M]['result']> {
  lastId++;
  const id = lastId;
  const answer = adopt<M>(id);
  post({ type: 'request', id, method, params });
  return { id, answer };
}

/** The answer to a request that is under way, though an earlier page asked it. */
export function adopt<M extends PageMethod>(id: number): Promise<PageRequests[M]['result']> {
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

export function recall(): Kept {
  return kept;
}

export function keep(part: Kept): void {
  kept = { ...kept, ...part };
  api.setState(kept);
}

/** Hand over what the host says; answers go to who asked. */
export function listen(take: (message: Exclude<ToPage, { type: 'answered' | 'failed' }>) => void): void {
  window.addEventListener('message', (event: MessageEvent<ToPage>) => {
    const message = event.data;
    if (message.type === 'answered' || message.type === 'failed') {
      const asked = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.type === 'answered') {
        asked?.resolve(message.result as never);
      } else {
        asked?.reject(new Error(message.message));
      }
    } else {
      take(message);
    }
  });
}
