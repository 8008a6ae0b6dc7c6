/** The editor's side of the wire: everything that higher rooms serve for the daemon. */
import type { CancellationToken, CodeAction, CodeActionKind, Command, Range, TextDocument } from 'vscode';
import type { ApplyEdit, ApplyEditResult, DaemonRequests, NewSession, SessionInfo, StrictApply } from '../wire';

type All = Omit<DaemonRequests, 'workspace/applyEdit'>;

/** Requests of the daemon, with the function that serves each request. */
export type EditorRequestTable = {
  [M in keyof All]: (
    params: All[M]['params'],
    token: CancellationToken,
  ) => All[M]['result'] | Promise<All[M]['result']>;
};

/** Sends a request to the running daemon. */
export type Send = <T>(method: string, params: unknown) => Promise<T>;

type CodeActions = (Command | CodeAction)[];

/** Services of the window for the daemon, which are given to the daemon once, and live as long as the daemon. */
export interface EditorSide {
  /** Served requests: the keys are the capabilities that are declared at `initialize`. */
  requests: EditorRequestTable;
  /** Methods that `editor/languageFeature` serves. */
  languageFeatures: readonly string[];
  /** Applies a `workspace/applyEdit` of the agent: the whole edit, or nothing with a reason. */
  applyEdit(edit: ApplyEdit & { agent: StrictApply }): Promise<ApplyEditResult>;
  /** Returns the actions of the lightbulb, made from the daemon's actions. */
  codeActions(
    given: CodeActions | null | undefined,
    document: TextDocument,
    range: Range,
    only: CodeActionKind | undefined,
  ): CodeActions;
  /** Begins a session with the choices of the window. */
  beginSession(send: Send, params: NewSession): Promise<SessionInfo>;
}
