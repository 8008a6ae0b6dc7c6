/**
 * Calls that wait for decisions about files of the change set: each is a permission request of this window, joined with
 * the files. The user answers the request, or decides about the hunks; the last decision ends the request.
 */
import * as vscode from 'vscode';
import { isTooLarge } from '../diff/large';
import type { Answer, AskedFile, Asks, PendingRequest, PendingRequests } from '../permissions/pending_requests';
import { allTabs } from '../ui/tabs';
import { complain, inform, showInStatusBar } from '../ui/window';
import type { SetActions } from './actions';
import type { ChangeSet } from './change_set';
import type { Comparisons } from './comparison';
import type { SetFile } from './files';

const MESSAGE_MILLISECONDS = 8000;

export class WaitingCalls implements Asks, vscode.Disposable {
  /** Requests that the user has put off, by closing the comparison. */
  private readonly putOff = new Set<string>();
  private readonly listeners = new Set<() => void>();
  private readonly subscriptions: { dispose(): unknown }[];
  /** Files of the requests, as the listeners know the files. */
  private told = '';
  /** Queue of the comparisons that open by themselves, one at a time. */
  private offering: Promise<void> = Promise.resolve();

  constructor(
    private readonly set: ChangeSet,
    private readonly pendingRequests: PendingRequests,
    private readonly comparisons: Comparisons,
    private readonly actions: SetActions,
  ) {
    this.subscriptions = [
      pendingRequests.onChange(() => this.follow(true)),
      set.onDidChange(() => this.follow(false)),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => this.closed(closed)),
    ];
  }

  dispose(): void {
    for (const subscription of this.subscriptions) {
      subscription.dispose();
    }
  }

  /** Pending requests; a request about a change names the files of the change. */
  get waiting(): readonly PendingRequest[] {
    return this.pendingRequests.waiting.map((ask) => {
      const files = this.filesOf(ask);
      return ask.kind === 'permission' && files.length > 0 ? { ...ask, files: files.map(askedFile) } : ask;
    });
  }

  onChange(listener: () => void): { dispose(): void } {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }

  /**
   * Answers a request, no matter where the user answered. What the user has typed in the comparisons and in comments
   * goes along, as decisions about what the user sees now.
   */
  answer(id: string, answer: Answer): void {
    const files = this.pendingRequests.waiting.filter((ask) => ask.id === id).flatMap((ask) => this.filesOf(ask));
    const outcome = 'outcome' in answer ? answer.outcome : undefined;
    const decisions = this.actions.wordsOn(outcome === 'reject' ? 'reject' : 'accept', files);
    const isOld = decisions.some(
      ({ uri, version }) => !files.some((file) => file.uri === uri && file.version === version),
    );
    if (files.length > 0 && (outcome === 'once' || isOld)) {
      // Unlike with an answer, the user is told of each file that is left, and looks again at a text on an old change.
      void this.actions.decideEach('accept', () => this.now(files)).catch(complain);
    } else {
      this.pendingRequests.answer(id, decisions.length > 0 ? { ...answer, decisions } : answer);
    }
  }

  /** Shows the change of the named request, or else of the oldest request about a change, or else the whole set. */
  async open(id?: string): Promise<void> {
    if (this.find(id).length === 0) {
      await this.set.load();
    }
    await this.offering;
    const [ask] = this.find(id);
    if (ask) {
      this.putOff.delete(ask.id);
      await this.actions.open(this.filesOf(ask));
    } else if (id === undefined && !this.actions.isEmpty) {
      await this.actions.open();
    } else {
      void inform(vscode.l10n.t('No changes to review in this session.'));
    }
  }

  /** Returns the requests with files in the set, the oldest first; with an id, the request of this id alone. */
  private find(id?: string): readonly PendingRequest[] {
    return this.pendingRequests.waiting.filter(
      (ask) => (id === undefined || ask.id === id) && this.filesOf(ask).length > 0,
    );
  }

  private filesOf(ask: PendingRequest): readonly SetFile[] {
    const changeId = ask.kind === 'permission' ? ask.request.changeId : undefined;
    return changeId === undefined ? [] : this.set.files.filter(({ waits }) => waits === changeId);
  }

  private now(files: readonly SetFile[]): readonly SetFile[] {
    return files.flatMap((file) => this.set.now(file) ?? []);
  }

  private follow(isOtherRequest: boolean): void {
    const ids = new Set(this.pendingRequests.waiting.map((ask) => ask.id));
    for (const id of this.putOff) {
      if (!ids.has(id)) {
        this.putOff.delete(id);
      }
    }
    const files = JSON.stringify(this.waiting.map((ask) => (ask.kind === 'permission' ? ask.files : undefined)));
    if (isOtherRequest || files !== this.told) {
      this.told = files;
      for (const listener of this.listeners) {
        listener();
      }
    }
    this.offerNext();
  }

  /** Opens the oldest change that is not put off, if no waiting change is open; a large one on request only. */
  private offerNext(): void {
    const isWanted = () => vscode.workspace.getConfiguration('placet').get('review.open', true);
    if (this.find().length > 0 && isWanted()) {
      const offer = async () => {
        const all = this.find().map((ask) => ({ id: ask.id, files: this.filesOf(ask) }));
        const isShown = all.some(({ files }) => files.some((file) => this.comparisons.isShownBy(allTabs(), file)));
        const next = all.find(({ id, files }) => !this.putOff.has(id) && !files.some(isTooLarge));
        const [file] = next?.files ?? [];
        if (file && !isShown) {
          await this.comparisons.offer(file);
        }
      };
      this.offering = this.offering.then(offer).catch(complain);
    }
  }

  /** The user closed tabs: closing the comparison of a waiting change means "later". */
  private closed(tabs: readonly vscode.Tab[]): void {
    for (const ask of this.find()) {
      const isShownBy = (all: readonly vscode.Tab[]) =>
        this.filesOf(ask).some((file) => this.comparisons.isShownBy(all, file));
      if (isShownBy(tabs) && !isShownBy(allTabs())) {
        this.putOff.add(ask.id);
        const kept = vscode.l10n.t('Review postponed; “Placet: Review” reopens the change.');
        showInStatusBar(`Placet: ${kept}`, MESSAGE_MILLISECONDS);
        this.offerNext();
      }
    }
  }
}

function askedFile({ uri, kind, additions, deletions }: SetFile): AskedFile {
  return { uri, kind, additions, deletions };
}
