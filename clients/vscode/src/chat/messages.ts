/**
 * Messages between the page and the extension host. The page is not trusted: every message from the page is checked.
 */
import type { OtherSet } from '../change_set/files';
import type { Status } from '../daemon/agent';
import type { Answer, PendingRequest } from '../permissions/pending_requests';
import type { Effort } from '../sessions/effort_choices';
import type { Preferred } from '../sessions/preferred_model';
import type { Mode } from '../sessions/review_mode_choices';
import type { EditorNotifications, EditorRequests, Prompt, PromptPart, SessionEvent, TextPartInput } from '../wire';

/** Requests that the page may send to the daemon. */
export const DAEMON_METHODS = [
  'agent/session/new',
  'agent/session/list',
  'agent/session/load',
  'agent/session/fork',
  'agent/session/export',
  'agent/session/rename',
  'agent/session/delete',
  'agent/session/compact',
  'agent/session/setAgent',
  'agent/session/setModel',
  'agent/session/setEffort',
  'agent/session/setReview',
  'agent/session/setCaution',
  'agent/prompt',
  'agent/undo',
  'agent/redo',
  'agent/back/preview',
  'agent/back/go',
  'agent/back/redo',
  'agent/changes',
  'agent/models',
  'agent/agents',
  'agent/commands',
  'agent/complete',
  'agent/status',
] as const satisfies readonly (keyof EditorRequests)[];

/** Notifications that the page may send to the daemon. */
export const DAEMON_NOTIFICATIONS = [
  'agent/cancel',
  'agent/didType',
] as const satisfies readonly (keyof EditorNotifications)[];

/** Place in the project that a prompt can name. */
export interface Candidate {
  kind: 'file' | 'folder' | 'symbol';
  label: string;
  detail: string;
  /** Text in the prompt behind the `@`. */
  mention: string;
}

/** Requests that the page may send to the extension host. */
export interface HostRequests {
  'host/complete': { params: { query: string }; result: Candidate[] };
  'host/confirm': { params: { message: string; detail: string; action: string }; result: boolean };
  'host/input': { params: { title: string; value: string }; result: string | null };
  'host/save': { params: { name: string; text: string }; result: boolean };
  /** Returns dropped URIs as mentions of files; URIs outside the workspace are left out. */
  'host/mentions': { params: { uris: string[] }; result: string[] };
  /** Returns files that the user chooses: workspace files by address, other files with content. */
  'host/pick': { params: Record<string, never>; result: Attachment[] };
  /** Returns context from elsewhere in VS Code. */
  'host/context': { params: { kind: ContextKind }; result: Attachment[] };
}

export type ContextKind = 'problems' | 'terminalSelection' | 'lastCommand' | 'gitDiff';

export const HOST_METHODS = [
  'host/complete',
  'host/confirm',
  'host/input',
  'host/save',
  'host/mentions',
  'host/pick',
  'host/context',
] as const satisfies readonly (keyof HostRequests)[];

export type DaemonMethod = (typeof DAEMON_METHODS)[number];
export type PageRequests = Pick<EditorRequests, DaemonMethod> & HostRequests;
export type PageMethod = keyof PageRequests;

/** Actions of VS Code that the page may start: mostly after a failure. */
export const REMEDIES = [
  'signIn',
  'install',
  'manageTrust',
  'restart',
  'doctor',
  'showLog',
  'chooseModel',
  'chooseReview',
  'review',
  'goBack',
] as const;

export type Remedy = (typeof REMEDIES)[number];

/** Review of the window's session: the mode, and the changes that wait for the user's decision. */
export interface ReviewState {
  /** The window's session, which may differ from the session of a page; absent before the first prompt. */
  sessionId?: string | undefined;
  mode: Mode;
  files: number;
  hunks: number;
  /** Other sessions with undecided changes. */
  others: readonly OtherSet[];
}

/** Prompt without an answer; `id` is the id of the request. */
export interface OpenPrompt {
  id: number;
  params: Prompt;
}

export type FromPage =
  | { type: 'ready' }
  | { type: 'request'; id: number; method: PageMethod; params: unknown }
  | { type: 'cancel'; id: number }
  | { type: 'remedy'; name: Remedy; argument?: string | undefined }
  | { type: 'notify'; method: (typeof DAEMON_NOTIFICATIONS)[number]; params: unknown }
  | { type: 'answer'; id: string; answer: Answer }
  | { type: 'review'; id: string }
  /** Reports the pending requests that the page shows, and the others. */
  | { type: 'shows'; ids: string[]; others: string[] }
  | { type: 'openFile'; path: string; line?: number | undefined }
  | { type: 'openChange'; sessionId: string; changeId: string; uri?: string | undefined }
  | { type: 'openLink'; url: string }
  | { type: 'openText'; language: string; text: string }
  /** Puts code into the terminal. */
  | { type: 'runInTerminal'; text: string }
  /** Keeps a choice of the user for the sessions that begin afterwards. */
  | { type: 'prefer'; preferred: Omit<Preferred, 'effort'> & { effort?: Effort | null } }
  /** The user has gone to a session on the page, which has been told of the openings up to this number. */
  | { type: 'session'; sessionId: string | null; opening: number }
  /** The user has come to the page. */
  | { type: 'used'; opening: number };

/** Part of the prompt beside the text. */
export type Attachment = Exclude<PromptPart, TextPartInput>;
export type FileAttachment = Extract<Attachment, { type: 'file' }>;

export type ToPage =
  | { type: 'events'; events: SessionEvent[] }
  | { type: 'answered'; id: number; result: unknown }
  | { type: 'failed'; id: number; message: string }
  | { type: 'asks'; asks: readonly PendingRequest[] }
  | { type: 'status'; status: Status }
  | { type: 'review'; review: ReviewState }
  /** Number of the last opening of a session that was not begun on the page. */
  | { type: 'opening'; opening: number }
  | { type: 'preferred'; preferred: Preferred }
  /** File and selection of the active editor; null without such a file. */
  | { type: 'editor'; file: FileAttachment | null }
  | { type: 'prompts'; prompts: readonly OpenPrompt[] }
  | { type: 'attach'; attachment: Attachment }
  | { type: 'write'; text: string }
  | { type: 'open'; sessionId: string | null }
  /** Offers to go back to a prompt of a session. */
  | { type: 'goBack'; sessionId: string; messageId: string }
  | { type: 'command'; name: PageCommand }
  /** Lets the page read the models, agents and commands again, and the open session. */
  | { type: 'refresh' }
  | { type: 'focus' };

/** Actions in the page that VS Code's commands and keys can start. */
export type PageCommand =
  | 'new'
  | 'stop'
  | 'compact'
  | 'undo'
  | 'redo'
  | 'back'
  | 'sessions'
  | 'agents'
  | 'models'
  | 'effort'
  | 'review-mode'
  | 'caution'
  | 'rename'
  | 'fork'
  | 'export'
  | 'transcript'
  | 'attach'
  | 'delete';

const TYPES: Record<
  FromPage['type'],
  Record<string, 'string' | 'number' | 'object' | 'string?' | 'number?' | 'string[]'>
> = {
  ready: {},
  request: { id: 'number', method: 'string', params: 'object' },
  cancel: { id: 'number' },
  remedy: { name: 'string', argument: 'string?' },
  notify: { method: 'string', params: 'object' },
  answer: { id: 'string', answer: 'object' },
  review: { id: 'string' },
  shows: { ids: 'string[]', others: 'string[]' },
  openFile: { path: 'string', line: 'number?' },
  openChange: { sessionId: 'string', changeId: 'string', uri: 'string?' },
  openLink: { url: 'string' },
  openText: { language: 'string', text: 'string' },
  prefer: { preferred: 'object' },
  runInTerminal: { text: 'string' },
  session: { sessionId: 'string?', opening: 'number' },
  used: { opening: 'number' },
};

/** Returns the message if the page may send the message; undefined otherwise. */
export function readFromPage(raw: unknown): FromPage | undefined {
  if (!isObject(raw) || typeof raw.type !== 'string' || !Object.hasOwn(TYPES, raw.type)) {
    return undefined;
  }
  const fields = TYPES[raw.type as FromPage['type']];
  const fits = Object.entries(fields).every(([name, type]) => isOf(raw[name], type));
  if (!fits || (raw.type === 'request' && !isRequest(raw.method))) {
    return undefined;
  }
  if (raw.type === 'notify' && !(DAEMON_NOTIFICATIONS as readonly unknown[]).includes(raw.method)) {
    return undefined;
  }
  if (raw.type === 'remedy' && !(REMEDIES as readonly unknown[]).includes(raw.name)) {
    return undefined;
  }
  return raw as FromPage;
}

function isRequest(method: unknown): boolean {
  return ([...DAEMON_METHODS, ...HOST_METHODS] as readonly unknown[]).includes(method);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isOf(value: unknown, type: string): boolean {
  if (type.endsWith('?') && (value === undefined || value === null)) {
    return true;
  }
  if (type === 'string[]') {
    return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
  }
  return type === 'object' ? isObject(value) : typeof value === type.replace('?', '');
}
