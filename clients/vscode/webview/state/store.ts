/** State of the page, and the actions on the state. `onChange` reports changes, at most once a frame. */
import * as l10n from '@vscode/l10n';
import type { Conversation } from '../../src/chat/conversation';
import type { Attachment, ReviewState, ToPage } from '../../src/chat/messages';
import type { Status } from '../../src/daemon/agent';
import type { PendingRequest } from '../../src/permissions/pending_requests';
import type { Effort } from '../../src/sessions/effort_choices';
import type { Preferred } from '../../src/sessions/preferred_model';
import { fileCount, toReview, toReviewIn } from '../../src/ui/counts';
import type { Prompt, PromptPart, QueuedPrompt, SessionEvent, UndoneFile, UndoResult } from '../../src/wire';
import { Asks } from './asks';
import { Attachments, attachmentsIn } from './attachments';
import type { Chosen } from './choosing';
import { keep, listen, post, recall, request } from './host';
import { Lists } from './lists';
import { firstLine, lastName, textOf } from './names';
import { OpenSession } from './open_session';
import { Outbox, together, type Waiting } from './outbox';
import { PageReports } from './page_reports';
import type { Row } from './rows';
import type { Subagents } from './subagents';
import { EDITS } from './tools';
import { WayBack } from './way_back';

export interface Spoken {
  text: string;
  isUrgent: boolean;
  /** Count that tells two announcements of the same text apart. */
  count: number;
}

/** Request to the composer and the header; `edit` replaces the text of an earlier `edit`. */
export type Wish =
  | Extract<ToPage, { type: 'write' | 'focus' | 'command' }>
  | { type: 'edit'; text: string; instead: string | undefined };

export class Store {
  status: Status = { state: 'starting', running: [], waiting: 0 };
  /** Review of the window's session, once the extension host has described the review. */
  review: ReviewState | undefined;
  /** The user's last choices, for the next session. */
  preferred: Preferred = {};
  problem = '';
  readonly attachments = new Attachments(() => this.changed());
  /** Announcement for the screen reader. */
  spoken: Spoken = { text: '', isUrgent: false, count: 0 };
  onWish: (wish: Wish) => void = () => {};
  readonly lists = new Lists(() => this.changed());
  readonly #session = new OpenSession({
    changed: () => this.changed(),
    failed: (error) => this.fail(error),
    happened: (event) => this.#happened(event),
  });
  readonly asks = new Asks(this.#session);
  readonly #outbox = new Outbox({
    changed: () => this.changed(),
    failed: (error) => this.fail(error),
    returned: (parts) => this.#takeBack(parts),
  });
  readonly wayBack = new WayBack(
    {
      preview: (params) => request('agent/back/preview', params),
      go: (params) => request('agent/back/go', params),
      redo: (params) => request('agent/back/redo', params),
    },
    {
      changed: () => this.changed(),
      failed: (error) => this.fail(error),
      went: ({ files }, parts) => this.#wentBack(files, parts),
      redone: ({ files }) => this.#wentForward(files),
    },
  );
  readonly #reports = new PageReports(() => document.hasFocus(), post);
  #frame = 0;
  #wasReady = false;
  readonly #listeners = new Set<() => void>();

  start(): void {
    listen((message) => this.#take(message));
    window.addEventListener('focus', () => this.#reports.focused());
    post({ type: 'ready' });
    const { sessionId } = recall();
    if (sessionId !== undefined) {
      void this.open(sessionId, recall().place);
    }
    void this.lists.refresh();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get conversation(): Conversation | undefined {
    return this.#session.conversation;
  }

  get rows(): readonly Row[] {
    return this.#session.rows;
  }

  get subagents(): Subagents {
    return this.#session.subagents;
  }

  get isLoading(): boolean {
    return this.#session.isLoading;
  }

  get isBusy(): boolean {
    return this.#session.isBusy;
  }

  /** Review of the session of the page, if the commands of the window apply to the session. */
  get ownReview(): ReviewState | undefined {
    return this.review?.sessionId === this.#session.id ? this.review : undefined;
  }

  /** Text with the number of the session's changes to review; empty without such changes. */
  get toReview(): string {
    const { ownReview } = this;
    if (ownReview) {
      return ownReview.files > 0 ? toReview(ownReview.hunks, ownReview.files) : '';
    }
    const other = this.review?.others.find(({ sessionId }) => sessionId === this.#session.id);
    return other ? toReviewIn(other.files, other.title) : '';
  }

  get queued(): readonly Waiting[] {
    return this.#outbox.queued(this.#session.id);
  }

  /** Prompts of other clients of the session that wait for the end of the running turn. */
  get queuedElsewhere(): readonly QueuedPrompt[] {
    return this.#outbox.ofOthers(this.#session.id, this.conversation?.queued ?? []);
  }

  /**
   * Shows a session; `place` is the key of the first row on the screen, absent for the end. If the extension host asked
   * for the session, the host gets no message back, since the user may have gone to another session.
   */
  async open(sessionId: string, place?: string, isTold = false): Promise<void> {
    this.problem = '';
    keep({ sessionId, place });
    try {
      await this.#session.open(sessionId);
      await this.#arrived(sessionId, isTold);
    } catch (error) {
      if (this.#session.id === sessionId) {
        this.#session.leave();
        this.fail(error);
        if (this.#wasReady) {
          keep({ sessionId: undefined }); // Otherwise the page opens the session again once the daemon runs.
        }
      }
    }
  }

  /**
   * Leaves the session; the next prompt starts a new session. If the extension host asked for the change, the host gets
   * no message back.
   */
  leave(isTold = false): void {
    this.#session.leave();
    this.problem = '';
    keep({ sessionId: undefined, place: undefined });
    if (!isTold) {
      this.#reports.showed(null);
    }
    this.changed();
  }

  async send(text: string, queue: 'steer' | 'after', chosen: Chosen = {}): Promise<void> {
    const written = text.trim() === '' ? [] : [{ type: 'text' as const, text }];
    const { selection, all } = this.attachments;
    const parts: Prompt['parts'] = [...written, ...all, ...(selection && written.length > 0 ? [selection] : [])];
    if (parts.length === 0) {
      return;
    }
    this.attachments.clear();
    keep({ returned: undefined });
    this.problem = '';
    let sessionId = this.#session.id;
    try {
      sessionId ??= await this.#begin(chosen);
    } catch (error) {
      this.fail(error);
      this.#takeBack(parts);
      return;
    }
    await this.#outbox.send({ sessionId, parts, queue }, this.isBusy && queue === 'after');
  }

  /** Moves a waiting prompt into the running turn, back into the composer, or nowhere. */
  withdraw(waiting: Waiting, then: 'steer' | 'edit' | 'drop'): void {
    this.#outbox.withdraw(waiting);
    if (then === 'steer') {
      void this.#outbox.send({ ...waiting.params, queue: 'steer' }, false);
    } else if (then === 'edit') {
      this.#takeBack(waiting.params.parts);
    }
  }

  /**
   * Opens a copy of the session that ends before this prompt, with the prompt in the composer. The first session loses
   * nothing.
   */
  async rewrite(messageId: string, parts: Prompt['parts']): Promise<void> {
    const info = await this.act((sessionId) => request('agent/session/fork', { sessionId, messageId }));
    if (info) {
      await this.open(info.id);
      this.#takeBack(parts);
    }
  }

  /** Offers to go back to a prompt of the open session. */
  offerWayBack(messageId: string): void {
    const { id } = this.#session;
    if (id !== undefined) {
      this.problem = '';
      void this.wayBack.begin(id, messageId, this.isBusy);
    }
  }

  /** Stops the turn and its queue; the queued prompts go back into the composer. */
  stop(): void {
    const { id } = this.#session;
    if (id !== undefined) {
      const { queued } = this;
      for (const waiting of queued) {
        this.#outbox.withdraw(waiting);
      }
      if (queued.length > 0) {
        this.#takeBack(together(queued));
      }
      post({ type: 'notify', method: 'agent/cancel', params: { sessionId: id } });
    }
  }

  /** Keeps a choice for the sessions that begin afterwards. */
  prefer({ model, effort }: { model?: string; effort?: Effort | null }): void {
    const over = this.lists.models.find((other) => other.default)?.id;
    post({
      type: 'prefer',
      preferred: { ...(model !== undefined && { model, over }), ...(effort !== undefined && { effort }) },
    });
    this.preferred = {
      ...this.preferred,
      ...(model !== undefined && { model, over }),
      ...(effort !== undefined && { effort: effort ?? undefined }),
    };
    this.changed();
  }

  /** Runs an operation on the open session, and reports a failure. */
  async act<T>(work: (sessionId: string) => Promise<T>): Promise<T | undefined> {
    const { id } = this.#session;
    if (id === undefined) {
      return undefined;
    }
    try {
      this.problem = '';
      return await work(id);
    } catch (error) {
      this.fail(error);
      return undefined;
    }
  }

  /** Reverts the changes of a turn, or the changes of some files. */
  async undo(turnId?: string, uris?: string[]): Promise<void> {
    const target = { ...(turnId !== undefined && { turnId }), ...(uris && { uris }) };
    this.#report(await this.act((sessionId) => request('agent/undo', { sessionId, ...target })));
  }

  async redo(): Promise<void> {
    this.#report(await this.act((sessionId) => request('agent/redo', { sessionId })));
  }

  speak(text: string, isUrgent: boolean): void {
    this.spoken = { text, isUrgent, count: this.spoken.count + 1 };
    this.changed();
  }

  fail(error: unknown): void {
    this.problem = error instanceof Error ? error.message : String(error);
    this.speak(this.problem, true);
  }

  dismiss(): void {
    this.problem = '';
    this.changed();
  }

  changed(): void {
    if (this.#frame === 0) {
      this.#frame = requestAnimationFrame(() => this.#draw());
    }
  }

  #draw(): void {
    this.#frame = 0;
    const isMore = this.#session.draw();
    for (const listener of this.#listeners) {
      listener();
    }
    this.asks.report();
    if (isMore) {
      this.changed();
    }
  }

  #take(message: Parameters<Parameters<typeof listen>[0]>[0]): void {
    switch (message.type) {
      case 'events':
        this.#outbox.receive(message.events);
        this.#session.receive(message.events);
        this.wayBack.receive(message.events);
        this.#takeCommands(message.events);
        break;
      case 'review':
        this.review = message.review;
        break;
      case 'refresh':
        void this.lists.refresh();
        void this.#session.reload().catch((error) => this.fail(error));
        break;
      case 'editor':
        this.attachments.takeEditorFile(message.file ?? undefined);
        break;
      case 'opening':
        this.#reports.takeOpening(message.opening);
        break;
      case 'preferred':
        this.preferred = message.preferred;
        break;
      case 'asks':
        this.#takeAsks(message.asks);
        break;
      case 'status':
        this.#takeStatus(message.status);
        break;
      case 'prompts':
        this.#outbox.takeOver(message.prompts);
        break;
      case 'attach':
        this.attachments.add(message.attachment);
        this.onWish({ type: 'focus' });
        break;
      case 'open':
        if (message.sessionId === null) {
          if (this.#session.id !== undefined) {
            this.leave(true);
          }
        } else if (message.sessionId !== this.#session.id) {
          void this.open(message.sessionId, undefined, true);
        }
        break;
      case 'goBack':
        if (message.sessionId !== this.#session.id) {
          void this.open(message.sessionId, undefined, true);
        }
        this.offerWayBack(message.messageId);
        break;
      case 'write':
      case 'focus':
      case 'command':
        this.onWish(message);
        break;
    }
    this.changed();
  }

  /** Takes the commands, which are the same in all sessions, from the events of any session. */
  #takeCommands(events: readonly SessionEvent[]): void {
    for (const { update } of events) {
      if (update.kind === 'available_commands_update') {
        this.lists.takeCommands(update.commands);
      }
    }
  }

  #takeAsks(asks: readonly PendingRequest[]): void {
    const text = this.asks.take(asks);
    if (text !== undefined) {
      this.speak(l10n.t('Placet is waiting for your answer: {0}', text), true);
    }
  }

  #takeStatus(status: Status): void {
    const isReady = status.state === 'ready';
    if (isReady && !this.#wasReady) {
      void this.lists.refresh();
      void this.#reconnect();
    } else if (!isReady) {
      this.#session.interrupt();
    }
    this.#wasReady = isReady;
    this.status = status;
  }

  /** The daemon runs, for the first time or again. */
  async #reconnect(): Promise<void> {
    const { sessionId, place } = recall();
    if (this.#session.id === undefined && sessionId !== undefined) {
      return this.open(sessionId, place);
    }
    if (this.conversation) {
      await this.#session.reload().catch((error) => this.fail(error));
    }
  }

  async #arrived(sessionId: string, isTold: boolean): Promise<void> {
    await this.#session.settled();
    const { conversation } = this;
    if (this.#session.id !== sessionId || !conversation) {
      return;
    }
    if (conversation.info.parentId === undefined && !isTold) {
      this.#reports.showed(sessionId);
    }
    const turn = conversation.transcript.message(conversation.turnId ?? '');
    if (turn?.role === 'user') {
      this.#outbox.begun(sessionId, turn);
    }
    this.#outbox.giveBackLost(this.#session.prompts);
  }

  #happened({ update }: SessionEvent): void {
    // For a change that was rejected as a whole, the failed tool call is the only event.
    if (update.kind === 'tool_call_update' && update.part.state.status === 'error' && EDITS.has(update.part.tool)) {
      void this.#session.loadChanges().catch(() => undefined);
    }
    if (update.kind === 'turn_ended') {
      this.speak(
        update.stopReason === 'end_turn' ? l10n.t('Placet has answered.') : l10n.t('The turn has ended.'),
        false,
      );
      void this.#session.loadCost().catch(() => undefined);
    }
  }

  async #begin(chosen: Chosen): Promise<string> {
    const id = await this.#session.begin(chosen);
    keep({ sessionId: id, place: undefined });
    this.#reports.showed(id);
    return id;
  }

  #takeBack(parts: Prompt['parts']): void {
    this.attachments.add(...attachmentsIn(parts));
    this.onWish({ type: 'write', text: textOf(parts) });
  }

  /** Puts the prompt into the composer, in place of a prompt from an earlier act of going back. */
  #wentBack(files: readonly UndoneFile[], parts: readonly PromptPart[]): void {
    this.#showConflicts(files, firstLine);
    if (parts.length > 0) {
      this.#putForEditing(textOf(parts), attachmentsIn(parts));
      this.speak(l10n.t('You went back. The prompt is in the input box.'), false);
    } else {
      this.speak(l10n.t('The files went back; the talk stayed.'), false);
    }
  }

  #wentForward(files: readonly UndoneFile[]): void {
    this.#showConflicts(files, firstLine);
    this.#putForEditing('', []);
    this.speak(l10n.t('Forward again: talk and files are as before.'), false);
  }

  #putForEditing(text: string, attachments: readonly Attachment[]): void {
    this.attachments.putForEditing(attachments);
    this.onWish({ type: 'edit', text, instead: recall().returned });
    keep({ returned: text === '' ? undefined : text });
  }

  #showConflicts(files: readonly UndoneFile[], shortened = (reason: string): string => reason): void {
    this.problem = files
      .filter((file) => file.status === 'conflict')
      .map((file) => `${lastName(file.uri)}: ${shortened(file.reason ?? l10n.t('you changed the same lines'))}`)
      .join('\n');
    void this.#session.loadChanges().catch((error) => this.fail(error));
  }

  #report(result: UndoResult | undefined): void {
    if (!result) {
      return;
    }
    this.#showConflicts(result.files);
    const restored = result.files.filter((file) => file.status === 'restored').length;
    this.speak(l10n.t('{0} of {1} restored.', restored, fileCount(result.files.length)), false);
  }
}
