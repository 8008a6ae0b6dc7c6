/** Interface of the daemon for the rest of the extension: requests, session events and status. */
import type { CancellationToken, Event } from 'vscode';
import type { EditorNotifications, EditorRequests, SessionEvent } from '../wire';

/** State of the daemon, and the requests that wait for the user. */
export interface Status {
  state: 'stopped' | 'starting' | 'ready' | 'failed';
  /** Ids of the sessions with a running turn. */
  running: readonly string[];
  /** Questions and permission requests that wait for the user. */
  waiting: number;
  /** Version of the daemon, once the daemon has answered. */
  version?: string;
  /** Cause and remedy of the state `failed`. */
  problem?: string;
  /** Act that may mend the state `failed`. */
  remedy?: 'install' | 'trust' | 'doctor';
}

export interface Agent {
  /** Sends a request; starts the daemon if needed. Rejects with the daemon's message for the user. */
  request<M extends keyof EditorRequests>(
    method: M,
    params: EditorRequests[M]['params'],
    token?: CancellationToken,
  ): Promise<EditorRequests[M]['result']>;
  request<T>(method: string, params: unknown, token?: CancellationToken): Promise<T>;

  /** Sends a notification, unless the daemon is not running. */
  notify<M extends keyof EditorNotifications>(method: M, params: EditorNotifications[M]['params']): void;

  /** Events of all sessions, in order. After a restart, the caller loads the session again from the last seen `seq`. */
  readonly onUpdate: Event<SessionEvent>;
  readonly onStatus: Event<Status>;
  readonly status: Status;
}
