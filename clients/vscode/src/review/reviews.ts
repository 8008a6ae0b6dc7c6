/**
 * Owns a review for every change that waits for the user's decision: opens the review, collects the decision on each
 * hunk, and sends the answer.
 */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import type { AppliedSide } from '../diff/diff_view';
import { KeptClean } from '../diff/keep_clean';
import { type BaseTexts, PROPOSAL, type ProposalFiles } from '../diff/sides';
import type { Asks, PendingRequest, PendingRequests } from '../permissions/pending_requests';
import { allTabs, closeTabs, listedBy, textOf } from '../ui/tabs';
import { inform, showInStatusBar } from '../ui/window';
import type { Permission } from '../wire';
import { answerOf, count } from './change';
import { Comments } from './comments';
import { Decorations } from './decorations';
import { Lenses } from './lenses';
import { isSide, NOWHERE, Review } from './review';
import { close, offer, open } from './surface';

export class Reviews implements vscode.Disposable {
  private readonly reviews = new Map<string, Review>();
  private readonly clean = new KeptClean();
  private readonly lenses = new Lenses((uri) => this.seen(uri));
  private readonly decorations: Decorations;
  readonly comments: Comments;
  private readonly changes = new vscode.EventEmitter<void>();
  /** Fires when a review begins, ends or changes. */
  readonly onDidChange = this.changes.event;
  private readonly subscriptions: vscode.Disposable[];
  /** Reviews that are answered but may still have an open editor. */
  private readonly over: Review[] = [];
  /** Queue of the operations on the editors, which run in sequence. */
  private doing: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly pendingRequests: PendingRequests,
    agent: Agent,
    private readonly bases: BaseTexts,
    private readonly proposals: ProposalFiles,
    extensionUri: vscode.Uri,
    applied: (uri: vscode.Uri) => AppliedSide | undefined,
  ) {
    this.decorations = new Decorations(extensionUri);
    this.comments = new Comments(agent, { review: (uri) => this.of(uri), applied });
    this.subscriptions = [
      new vscode.Disposable(() => watching.dispose()),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0) {
          document.uri.scheme === PROPOSAL ? this.typed(document) : this.compare(document);
        }
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => isSide(uri) && this.forget()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.draw()),
      vscode.window.onDidChangeActiveColorTheme(() => this.draw()),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
        if (kind !== undefined && isSide(textEditor.document.uri)) {
          this.moved(textEditor);
        }
      }),
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (editor && isSide(editor.document.uri)) {
          this.moved(editor);
        }
        this.tellContext();
      }),
      vscode.window.tabGroups.onDidChangeTabs(({ opened, closed }) => {
        void this.inTurn(() => closeTabs(opened.filter((tab) => this.over.some((review) => review.isShownBy(tab)))));
        this.closed(closed);
      }),
    ];
    const watching = pendingRequests.onChange(() => this.follow());
    void this.closeStale();
  }

  /** Pending reviews, the oldest first. */
  get waiting(): readonly Review[] {
    return [...this.reviews.values()];
  }

  /**
   * The pending requests for callers without knowledge of reviews: the review completes a permission that such a caller
   * gives.
   */
  get asks(): Asks {
    const { pendingRequests } = this;
    return {
      get waiting() {
        return pendingRequests.waiting;
      },
      onChange: (listener) => pendingRequests.onChange(listener),
      answer: (id, answer) => ('outcome' in answer ? this.complete(id, answer) : pendingRequests.answer(id, answer)),
    };
  }

  get(id: string | undefined): Review | undefined {
    return id === undefined ? undefined : this.reviews.get(id);
  }

  dispose(): void {
    vscode.Disposable.from(
      ...this.subscriptions,
      this.clean,
      this.lenses,
      this.decorations,
      this.comments,
      this.changes,
    ).dispose();
  }

  /** Shows the requested review, or else the oldest pending review. */
  async open(id?: string): Promise<void> {
    const review = this.get(id) ?? this.waiting[0];
    if (!review) {
      void inform(vscode.l10n.t('No changes to review in this session.'));
      return;
    }
    await this.inTurn(async () => {
      review.isPutOff = false;
      for (const other of this.waiting) {
        if (other !== review && other.place.kind !== 'none') {
          await this.hide(other);
        }
      }
      await open(review);
      this.draw();
    });
  }

  /**
   * Answers a request, no matter where the user answered. Texts, rejections and comments of the review stay valid, and
   * a yes accepts the remaining hunks. An answer that names hunks is sent unchanged.
   */
  complete(id: string, answer: Permission): void {
    const review = this.reviews.get(id);
    if (!review || answer.outcome === 'dismissed' || answer.hunks || answer.edited?.length) {
      this.pendingRequests.answer(id, answer);
      return;
    }
    const comments = this.comments.of(review);
    if (answer.outcome === 'reject') {
      this.pendingRequests.answer(id, { ...answer, ...(comments.length > 0 ? { comments } : {}) });
      return;
    }
    const open = review.units.filter(({ unit }) => !unit.decision);
    review.decide(new Set(open.map(({ unit }) => unit.key)), 'accepted');
    leaveOutConflicts(review);
    const own = answerOf(review.files, comments);
    this.pendingRequests.answer(id, own.outcome === 'reject' ? own : { ...own, ...answer });
  }

  /** Sends the decisions of the review as the answer. */
  send(review: Review): void {
    leaveOutConflicts(review);
    this.pendingRequests.answer(review.id, answerOf(review.files, this.comments.of(review)));
  }

  /** Updates the reviews after the pending requests changed. */
  private follow(): void {
    const waiting = new Map(this.pendingRequests.waiting.filter(isReviewable).map((ask) => [ask.id, ask]));
    const over = this.waiting.filter(({ id }) => !waiting.has(id));
    for (const review of over) {
      this.reviews.delete(review.id);
      void this.inTurn(() => this.end(review));
    }
    for (const ask of waiting.values()) {
      if (!this.reviews.has(ask.id)) {
        this.begin(new Review(ask.id, ask.request));
      }
    }
    if (over.length > 0) {
      this.offerNext();
    }
    this.changed();
  }

  private begin(review: Review): void {
    this.reviews.set(review.id, review);
    review.files.forEach(({ file, isWhole }, index) => {
      const sides = review.sides[index];
      if (sides) {
        this.bases.set(sides.base, file.oldText);
        const isReadonly = file.kind === 'delete' || isWhole;
        this.proposals.set(sides.proposal, file.kind === 'delete' ? '' : file.newText, isReadonly);
      }
    });
    // The user may have typed while the change was on its way.
    vscode.workspace.textDocuments.forEach((document) => void this.compare(document));
    this.offerNext();
  }

  /** Opens the oldest review that was neither shown nor postponed, if no review is open; a large one on request only. */
  private offerNext(): void {
    if (vscode.workspace.getConfiguration('placet').get('review.open', true)) {
      void this.inTurn(async () => {
        const isShown = this.waiting.some(({ place }) => place.kind !== 'none');
        const next = this.waiting.find(({ isPutOff, files }) => !isPutOff && !files.some(({ isWhole }) => isWhole));
        if (!isShown && next) {
          await offer(next);
          this.draw();
        }
      });
    }
  }

  private async end(review: Review): Promise<void> {
    this.comments.end(review);
    for (const document of vscode.workspace.textDocuments) {
      if (review.indexOf(document.uri) >= 0 && document.uri.scheme === PROPOSAL) {
        await this.clean.settle(document);
      }
    }
    this.over.push(review);
    await close(review);
    this.forget();
  }

  /** Deletes the texts of an ended review with the last of the documents, since a document may still be saving. */
  private forget(): void {
    const { textDocuments } = vscode.workspace;
    for (const review of this.over.filter((review) => !textDocuments.some(({ uri }) => review.indexOf(uri) >= 0))) {
      this.over.splice(this.over.indexOf(review), 1);
      for (const { base, proposal } of review.sides) {
        this.bases.delete(base);
        this.proposals.delete(proposal);
      }
    }
  }

  /** Postpones a review: sends no answer, and keeps decisions and typed texts. */
  async hide(review: Review): Promise<void> {
    review.isPutOff = true;
    for (const document of vscode.workspace.textDocuments) {
      if (review.indexOf(document.uri) >= 0 && document.uri.scheme === PROPOSAL) {
        await this.clean.settle(document);
      }
    }
    await close(review);
  }

  /** The user closed tabs: closing a tab means "later". */
  private closed(tabs: readonly vscode.Tab[]): void {
    for (const review of this.waiting) {
      const left = review.tabs();
      const isClosed = tabs.some((tab) => review.isShownBy(tab)) && !left.some((tab) => review.isComparedBy(tab));
      if (review.place.kind !== 'none' && isClosed) {
        review.place = { kind: 'none' };
        review.isPutOff = true;
        if (left.length > 0) {
          void this.inTurn(() => this.hide(review));
        }
        const kept = vscode.l10n.t('Review postponed; “Placet: Review” reopens the change.');
        showInStatusBar(`Placet: ${kept}`, 8000);
        this.offerNext();
      }
    }
    this.tellContext();
  }

  private typed(document: vscode.TextDocument): void {
    const review = this.of(document.uri);
    const index = review?.indexOf(document.uri) ?? -1;
    if (review && index >= 0) {
      review.type(index, document.getText().replaceAll('\r\n', '\n'));
      this.clean.changed(document);
      this.changed();
    }
  }

  /** Marks the hunks whose lines the user has changed in the file, while the user types. */
  private compare(document: vscode.TextDocument): void {
    const spelling = document.uri.toString();
    let isOther = false;
    for (const review of this.waiting) {
      const index = review.files.findIndex(({ file }) => vscode.Uri.parse(file.uri, true).toString() === spelling);
      isOther = (index >= 0 && review.compare(index, document.getText().replaceAll('\r\n', '\n'))) || isOther;
    }
    if (isOther) {
      this.draw();
    }
  }

  private moved(editor: vscode.TextEditor): void {
    const review = this.of(editor.document.uri);
    const located = review?.at(editor);
    if (review && located && review.current !== located.unit.key) {
      review.current = located.unit.key;
      this.draw();
    }
  }

  /** Returns the review that a document belongs to. */
  of(uri: vscode.Uri): Review | undefined {
    return isSide(uri) ? this.waiting.find((review) => review.indexOf(uri) >= 0) : undefined;
  }

  private seen(uri: vscode.Uri) {
    const review = this.of(uri);
    const index = review?.indexOf(uri) ?? -1;
    const file = review?.files[index];
    if (!review || !file) {
      return undefined;
    }
    const first = review.files.slice(0, index).reduce((sum, { units }) => sum + units.length, 1);
    const isInConflict = (key: string) => review.isInConflict(key);
    return { reviewId: review.id, file, first, all: count(review.files).all, isInConflict };
  }

  /** Informs every view of the review after a decision. */
  changed(): void {
    this.draw();
    this.changes.fire();
  }

  draw(): void {
    this.lenses.refresh();
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document.uri.scheme === PROPOSAL) {
        const review = this.of(editor.document.uri);
        const reviewedFile = review?.files[review.indexOf(editor.document.uri)];
        if (review && reviewedFile) {
          const isInConflict = (key: string) => review.isInConflict(key);
          this.decorations.draw(editor, reviewedFile, { current: review.current, isInConflict });
        }
      }
    }
    this.tellContext();
  }

  private tellContext(): void {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    const isIn = this.waiting.some((review) => tab !== undefined && review.isShownBy(tab));
    void vscode.commands.executeCommand('setContext', 'placet.inReview', isIn);
    void vscode.commands.executeCommand('setContext', 'placet.reviewWaits', this.reviews.size > 0);
  }

  /** Runs an operation on the editors after the operations before. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.doing.then(work);
    this.doing = done.catch(() => undefined);
    return done;
  }

  /** Closes tabs of ended reviews, which a reloaded window may still show. */
  private async closeStale(): Promise<void> {
    const stale = allTabs().filter((tab) => {
      const diffs = tab.input instanceof vscode.TabInputTextDiff ? [tab.input] : listedBy(tab);
      return diffs.some(({ modified }) => isSide(modified)) || isSide(textOf(tab) ?? NOWHERE);
    });
    await closeTabs(stale);
  }
}

/** Rejects the accepted hunks whose lines the user has changed meanwhile, and tells the user. */
function leaveOutConflicts(review: Review): void {
  const left = review.leaveOutConflicts();
  const files = [...new Set(left.map(({ index }) => review.sides[index]?.file))].filter((file) => file !== undefined);
  if (files.length > 0) {
    const names = files.map((file) => vscode.workspace.asRelativePath(file)).join(', ');
    void inform(
      left.length === 1
        ? vscode.l10n.t('A hunk was left out, because you changed the same lines: {0}', names)
        : vscode.l10n.t('{0} hunks were left out, because you changed the same lines: {1}', left.length, names),
    );
  }
}

function isReviewable(ask: PendingRequest): ask is PendingRequest & { kind: 'permission' } {
  return ask.kind === 'permission' && (ask.request.change?.files.length ?? 0) > 0;
}
