/** Connection of the page to the extension host. */
import type { FromPage, PageMethod, PageRequests, ToPage } from '../../src/chat/messages';

/** State that survives the hiding of the page; all other state belongs to the daemon. */
export interface Kept {
  sessionId?: string | undefined;
  draft?: string | undefined;
  /** Text that going back has put into the draft. */
  returned?: string | undefined;
  prompts?: readonly string[] | undefined;
  /** Prompts that wait for the end of a turn. */
  waiting?: readonly string[] | undefined;
  /** Key of the first row on the screen; absent at the end. */
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
/** Id base that no request of an earlier page has used. */
let lastId = Date.now() * 1000;
let kept: Kept = api.getState() ?? {};

export function post(message: FromPage): void {
  api.postMessage(message);
}

/** Sends a request to the daemon or the extension host. Rejects with a message for the user. */
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

/** Sends a request like `request`, with an id that can cancel the request. */
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

/** Returns the answer to an open request of an earlier page. */
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

/** Passes on the messages of the host; an answer resolves the request. */
export function listen(take: (message: Exclude<ToPage, { type: 'answered' | 'failed' }>) => void): void {
  window.addEventListener('message', (event: MessageEvent<ToPage>) => {
    const message = event.data;
    if (message.type === 'answered' || message.type === 'failed') {
      const request = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.type === 'answered') {
        request?.resolve(message.result as never);
      } else {
        request?.reject(new Error(message.message));
      }
    } else {
      take(message);
    }
  });
}
