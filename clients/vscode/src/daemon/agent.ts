/** What the rest of the extension knows of the daemon: requests, what happens in its sessions, and how it is. */
import type { CancellationToken, Event } from 'vscode';
import type { EditorNotifications, EditorRequests, SessionEvent } from '../wire';

/** How the daemon is, and whether it needs the user. */
export interface Status {
  state: 'stopped' | 'starting' | 'ready' | 'failed';
  /** The sessions in which a turn runs. */
  running: readonly string[];
  /** Questions and permission requests that wait for the user. */
  waiting: number;
  /** The daemon's version, once it has answered. */
  version?: string;
  /** With `failed`: what happened and what to do. */
  problem?: string;
}

export interface Agent {
  /** Ask the daemon, which is started if need be. Rejects with the daemon's own words, which are for the user. */
  request<M extends keyof EditorRequests>(
    method: M,
    params: EditorRequests[M]['params'],
    token?: CancellationToken,
  ): Promise<EditorRequests[M]['result']>;
  request<T>(method: string, params: unknown, token?: CancellationToken): Promise<T>;

  /** Tell the daemon; dropped when it does not run. */
  notify<M extends keyof EditorNotifications>(method: M, params: EditorNotifications[M]['params']): void;

  /** What happens in any session, in order. After a restart load the session again with the last `seq` seen. */
  readonly onUpdate: Event<SessionEvent>;
  readonly onStatus: Event<Status>;
  readonly status: Status;
}
