/**
 * Change set of the window: the staged and the unreviewed files of the current session, and the files of other sessions
 * about which a permission request of this window asks. The set is read again from the daemon whenever the daemon
 * reports a change of a set, a request comes or goes, or a file of the set changes in an editor or on the disk.
 */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import type { PendingRequests } from '../permissions/pending_requests';
import type { CurrentSession } from '../sessions/current';
import { warn } from '../ui/window';
import type { DecidedFile, StagedFile } from '../wire';
import { hasDocument, nameOf, presentUri, type SetDecision, type SetFile } from './files';

const TOGETHER_MILLISECONDS = 60;
/** Pause in typing after which the hunks' places are read again; in the meantime the marks move with the text. */
const TYPING_MILLISECONDS = 250;

/** Texts of both sides of a file. */
export interface Texts {
  /** Version of the file to which the texts belong. */
  version: string;
  oldText: string;
  newText: string;
}

export class ChangeSet implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly subscriptions: { dispose(): unknown }[];
  private listed: readonly SetFile[] = [];
  private byDocument = new Map<string, SetFile>();
  /** URIs of the files of the set, before and after a rename. */
  private places = new Set<string>();
  private loadedTexts: Promise<Map<string, Texts>> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private requests = 0;
  /** The last reading of the set. */
  private reading: Promise<void> = Promise.resolve();
  /** Queue of the decisions, each of which names the versions after the decision before. */
  private deciding: Promise<unknown> = Promise.resolve();
  private isReady: boolean;

  constructor(
    private readonly agent: Agent,
    readonly session: CurrentSession,
    private readonly pendingRequests: PendingRequests,
  ) {
    this.isReady = agent.status.state === 'ready';
    const watcher = vscode.workspace.createFileSystemWatcher('**/*');
    const changed = (uri: vscode.Uri) => this.isPlace(uri) && this.look();
    this.subscriptions = [
      session.onChange(() => {
        this.take(this.listed.filter((file) => this.isAsked(file)));
        this.look();
      }),
      pendingRequests.onChange(() => {
        if (this.unlisted(this.listed).length > 0) {
          void this.load();
        }
      }),
      agent.onUpdate(({ update }) => {
        const isShown = ({ sessionId }: { sessionId: string }) => sessionId === session.id;
        if (update.kind === 'change_set_update' && (isShown(update) || this.listed.some((file) => !isShown(file)))) {
          this.look();
        }
      }),
      agent.onStatus(({ state }) => {
        // A daemon that has started again has the set in its store, without the files for which a call waited.
        if ((state === 'ready') !== this.isReady) {
          this.isReady = state === 'ready';
          this.take(this.listed.filter(({ waits }) => waits === undefined));
          this.look();
        }
      }),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && this.isPlace(document.uri)) {
          clearTimeout(this.timer);
          this.timer = setTimeout(() => void this.load(), TYPING_MILLISECONDS);
        }
      }),
      // The text of a file without an editor is the text on the disk.
      watcher,
      watcher.onDidChange(changed),
      watcher.onDidCreate(changed),
      watcher.onDidDelete(changed),
      vscode.workspace.onDidOpenTextDocument(({ uri }) => changed(uri)),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => changed(uri)),
    ];
    this.look();
  }

  /** Returns the files of the set: the window's session first, the files of a session in the order of joining. */
  get files(): readonly SetFile[] {
    return this.listed;
  }

  /**
   * Returns the file of the set with this URI, as decisions name the file. Without a session, a file of the window's
   * session comes first. Of several files with the same URI the last one stands on the others.
   */
  get(uri: string, sessionId?: string): SetFile | undefined {
    const same = this.listed.filter((file) => file.uri === uri && [undefined, file.sessionId].includes(sessionId));
    return same.findLast((file) => file.sessionId === this.session.id) ?? same.at(-1);
  }

  /** Returns the file of the set as the set is now; undefined for a file that has left the set. */
  now({ uri, sessionId }: SetFile): SetFile | undefined {
    return this.get(uri, sessionId);
  }

  /** Returns the file of the set whose present document has this URI. */
  of(uri: vscode.Uri): SetFile | undefined {
    return this.byDocument.get(uri.toString());
  }

  /** Returns the texts of both sides of a file; undefined for a file that has left the set. */
  async texts(file: SetFile): Promise<Texts | undefined> {
    this.loadedTexts ??= this.list({ contents: true }).then(
      (files) => new Map(files.map((file) => [nameOf(file), textsOf(file)])),
    );
    return (await this.loadedTexts).get(nameOf(file));
  }

  /**
   * Sends decisions after all earlier decisions, and reads the set again. `decisions` is called when the turn of the
   * decisions has come. Returns the files that are not decided as the user wished, which the user is shown.
   */
  decide(decisions: () => readonly SetDecision[]): Promise<readonly DecidedFile[]> {
    const done = this.deciding.then(async () => {
      if (this.timer) {
        await this.load();
      }
      return this.send(decisions());
    });
    this.deciding = done.catch(() => undefined);
    return done;
  }

  /** Reads the set again, soon. */
  look(): void {
    this.timer ??= setTimeout(() => void this.load(), TOGETHER_MILLISECONDS);
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
    this.changed.dispose();
  }

  private async send(decisions: readonly SetDecision[]): Promise<readonly DecidedFile[]> {
    if (decisions.length === 0) {
      return [];
    }
    try {
      const failed: DecidedFile[] = [];
      for (const sessionId of new Set(decisions.map(({ sessionId }) => sessionId))) {
        const own = decisions.filter((decision) => decision.sessionId === sessionId);
        const params = { sessionId, decisions: own.map(({ sessionId: _, ...decision }) => decision) };
        const { files } = await this.agent.request('agent/review/decide', params);
        failed.push(...files.filter(({ status }) => ['moved', 'conflict', 'failed'].includes(status)));
      }
      if (failed.length > 0) {
        void warn(`Placet: ${failed.map(problemOf).join('; ')}`);
      }
      return failed;
    } finally {
      await this.load();
    }
  }

  private isPlace(uri: vscode.Uri): boolean {
    return this.places.has(uri.toString());
  }

  /** Reads the set; settles once the set is as new as the reading, or newer. */
  load(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.requests++;
    this.reading = this.read(this.requests);
    return this.reading;
  }

  private async read(number: number): Promise<void> {
    const sessionId = this.session.id;
    let files: readonly SetFile[] = [];
    if (this.agent.status.state === 'ready') {
      try {
        files = await this.list();
      } catch {
        // The session or the daemon is gone, which another view reports.
      }
    }
    if (number !== this.requests) {
      return this.reading;
    }
    // Without the daemon, the set stays as last read: the daemon has the set in its store.
    if (sessionId === this.session.id && (!sessionId || this.agent.status.state === 'ready')) {
      this.take(files);
    }
  }

  /** Returns the files of the window's session, and the files of other sessions about which this window is asked. */
  private async list(options: { contents?: boolean } = {}): Promise<SetFile[]> {
    const of = async (sessionId: string): Promise<SetFile[]> => {
      const { files } = await this.agent.request('agent/review/list', { sessionId, ...options });
      return files.map((file) => ({ ...file, sessionId }));
    };
    const own = this.session.id;
    const files = own === undefined ? [] : await of(own);
    for (const sessionId of new Set(this.unlisted(files).map(({ sessionId }) => sessionId))) {
      const others = sessionId === own ? [] : await of(sessionId);
      files.push(...others.filter((file) => this.isAsked(file)));
    }
    return files;
  }

  /** Returns the requests about changes whose files are not among the files. */
  private unlisted(files: readonly SetFile[]): { sessionId: string }[] {
    const listed = new Set(files.map(({ waits }) => waits));
    return this.pendingRequests.changes.filter(({ changeId }) => !listed.has(changeId));
  }

  private isAsked({ waits }: SetFile): boolean {
    return this.pendingRequests.changes.some(({ changeId }) => changeId === waits);
  }

  private take(files: readonly SetFile[]): void {
    if (files.length === 0 && this.listed.length === 0) {
      return;
    }
    this.listed = files;
    this.loadedTexts = undefined;
    const isOwn = ({ sessionId }: SetFile) => sessionId === this.session.id;
    const inOrder = [...files.filter((file) => !isOwn(file)), ...files.filter(isOwn)].filter(hasDocument);
    this.byDocument = new Map(inOrder.map((file) => [spelled(presentUri(file)), file] as const));
    this.places = new Set(files.flatMap(({ uri, oldUri = uri }) => [uri, oldUri]).map(spelled));
    this.changed.fire();
  }
}

/** Returns a URI of the daemon as VS Code spells the URI. */
function spelled(uri: string): string {
  return vscode.Uri.parse(uri, true).toString();
}

function problemOf({ uri, status, reason }: DecidedFile): string {
  const name = vscode.workspace.asRelativePath(vscode.Uri.parse(uri, true));
  const moved = vscode.l10n.t('the file or the proposal has changed; look again, then decide');
  return `${name}: ${status === 'moved' ? moved : (reason ?? status)}`;
}

/** Returns the texts of both sides. Of a file in conflict as a whole, the new side is a text to settle the conflict. */
function textsOf({ version, oldText = '', newText = '', bothTexts, conflict }: StagedFile): Texts {
  return { version, oldText, newText: (conflict && bothTexts) ?? newText };
}
