/** Serves the daemon's questions and permission requests to the user. */
import type { CancellationToken } from 'vscode';
import type { EditorRequestTable } from '../daemon/editor_side';
import type { AskQuestion, Permission, QuestionResult, RequestPermission } from '../wire';
import type { PendingRequests } from './pending_requests';
import { askAtOnce } from './questions';

export function userRequests(
  pendingRequests: PendingRequests,
): Pick<EditorRequestTable, 'editor/requestPermission' | 'editor/question'> {
  return {
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
