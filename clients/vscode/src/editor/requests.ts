/** The daemon's requests to the editor. The capabilities declared at `initialize` are the keys of this table. */
import type { CancellationToken } from 'vscode';
import type { EditorDiagnostics } from '../language/diagnostics';
import { languageFeature } from '../language/features';
import type { PendingRequests } from '../permissions/pending_requests';
import { askAtOnce } from '../permissions/questions';
import type { AskQuestion, DaemonRequests, Permission, QuestionResult, RequestPermission } from '../wire';
import { readDocuments, reload, save, state } from './document_requests';

type All = Omit<DaemonRequests, 'workspace/applyEdit'>;

export type EditorRequestTable = {
  [M in keyof All]: (
    params: All[M]['params'],
    token: CancellationToken,
  ) => All[M]['result'] | Promise<All[M]['result']>;
};

export function editorRequests(pendingRequests: PendingRequests, diagnostics: EditorDiagnostics): EditorRequestTable {
  return {
    'editor/readDocuments': readDocuments,
    'editor/save': save,
    'editor/reload': reload,
    'editor/state': state,
    'editor/diagnostics': (params, token) => diagnostics.serve(params, token),
    'editor/languageFeature': languageFeature,
    'editor/requestPermission': (params, token) => askPermission(pendingRequests, params, token),
    'editor/question': (params, token) => askQuestion(pendingRequests, params, token),
  };
}

async function askPermission(
  pendingRequests: PendingRequests,
  request: RequestPermission,
  token: CancellationToken,
): Promise<Permission> {
  const id = request.requestId;
  return until(
    token,
    () => pendingRequests.withdraw(id),
    pendingRequests.put({ kind: 'permission', id, request }),
  ) as Promise<Permission>;
}

let questions = 0;

async function askQuestion(
  pendingRequests: PendingRequests,
  request: AskQuestion,
  token: CancellationToken,
): Promise<QuestionResult> {
  if (request.sessionId === '') {
    return { answers: await askAtOnce(request.questions, token) };
  }
  const id = `question-${++questions}`;
  return until(
    token,
    () => pendingRequests.withdraw(id),
    pendingRequests.put({ kind: 'question', id, request }),
  ) as Promise<QuestionResult>;
}

/** Wait for the answer; when the daemon cancels the request, remove the request from the screen. */
async function until<T>(token: CancellationToken, withdraw: () => void, answer: Promise<T>): Promise<T> {
  const cancelled = token.onCancellationRequested(withdraw);
  try {
    return await answer;
  } finally {
    cancelled.dispose();
  }
}
