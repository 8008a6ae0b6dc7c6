/** Shows the change set in the window: marks, lenses, badges and comparisons, and the context of the keys. */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import { type BaseTexts, PROPOSAL, type ProposalFiles } from '../diff/sides';
import type { ReviewMode } from '../sessions/review_mode';
import { SetActions } from './actions';
import type { ChangeSet } from './change_set';
import { SetComments } from './comments';
import { Comparisons } from './comparison';
import { ConflictNotes } from './conflict_notes';
import { newSideHunks, placedHunks } from './files';
import { Badges, ReviewStatusItem } from './indicators';
import { type SeenFile, SetLenses } from './lenses';
import { Marks } from './marks';
import type { OtherSets } from './other_sets';

type Commands = Record<string, (...parameters: never[]) => unknown>;

export class ChangeSetView implements vscode.Disposable {
  readonly actions: SetActions;
  readonly comparisons: Comparisons;
  readonly comments: SetComments;
  readonly status: ReviewStatusItem;
  readonly lenses: SetLenses;
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly set: ChangeSet,
    others: OtherSets,
    agent: Agent,
    mode: ReviewMode,
    bases: BaseTexts,
    proposals: ProposalFiles,
    extensionUri: vscode.Uri,
  ) {
    this.comparisons = new Comparisons(set, bases, proposals);
    this.comments = new SetComments(agent, set, (uri) => this.seen(uri));
    this.actions = new SetActions(set, this.comparisons, this.comments);
    this.status = new ReviewStatusItem(set, others, mode);
    this.lenses = new SetLenses([{ scheme: 'file' }, { scheme: PROPOSAL }], (uri) => this.seen(uri));
    this.subscriptions = [
      this.comparisons,
      this.comments,
      this.status,
      this.lenses,
      new Marks(set, extensionUri),
      new Badges(set),
      new ConflictNotes(set, (placed) => this.actions.show(placed)),
      set.onDidChange(() => this.refresh()),
      this.comparisons.onDidChange(() => this.refresh()),
      vscode.window.onDidChangeActiveTextEditor(() => this.tellContext()),
      vscode.window.tabGroups.onDidChangeTabs(() => this.tellContext()),
    ];
    this.tellContext();
  }

  get commands(): Commands {
    return {
      'placet.changeSet.tellComment': (reply: vscode.CommentReply) => this.comments.tell(reply),
      'placet.changeSet.keepComment': (reply: vscode.CommentReply) => this.comments.keep(reply),
      'placet.changeSet.sendComment': (reply: vscode.CommentReply) => this.comments.sendNow(reply),
      'placet.changeSet.removeComment': (comment: vscode.Comment) => this.comments.remove(comment),
    };
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private refresh(): void {
    this.lenses.refresh();
    this.tellContext();
  }

  private seen(uri: vscode.Uri): SeenFile | undefined {
    const present = this.set.of(uri);
    if (present) {
      return { file: present, hunks: placedHunks(present), isComparison: false, isEdited: false };
    }
    const file = this.comparisons.of(uri);
    if (!file) {
      return undefined;
    }
    const isEdited = this.comparisons.ownText(file) !== undefined;
    const hunks = this.comparisons.ownHunks(file) ?? newSideHunks(file);
    return { file, hunks, isComparison: true, isEdited };
  }

  private tellContext(): void {
    void vscode.commands.executeCommand('setContext', 'placet.inChangeSet', this.actions.isHere);
    void vscode.commands.executeCommand('setContext', 'placet.changeSetWaits', !this.actions.isEmpty);
  }
}
