/** Actions of the user on the change set: decide, go from hunk to hunk, comment, compare. */
import * as vscode from 'vscode';
import { isWrapped } from '../editor/documents';
import { allTabs } from '../ui/tabs';
import { inform, input, pick } from '../ui/window';
import type { StagedDecision } from '../wire';
import type { ChangeSet } from './change_set';
import type { SetComments } from './comments';
import type { Comparisons } from './comparison';
import {
  conflictsIn,
  decisionOn,
  hasDocument,
  hunkAt,
  isAcceptable,
  isInConflict,
  isLeftOut,
  isShownWhole,
  keyOf,
  newSideHunks,
  type Outcome,
  type OwnHunk,
  type PlacedHunk,
  placedHunks,
  presentUri,
  type SetDecision,
  type SetFile,
  type SetTarget,
  stepFrom,
} from './files';

/**
 * Number of files up to which one list of comparisons shows the set. VS Code loads both texts of every file when the list
 * opens, 300 files in about four seconds, so Source Control lists a larger set, which opens files one by one.
 */
const MOST_COMPARISONS = 100;

/** Hunks of the set in the active editor. */
interface Here {
  editor: vscode.TextEditor;
  file: SetFile;
  /** Hunks with their lines in the document of the editor. */
  hunks: readonly PlacedHunk[];
  isComparison: boolean;
}

export class SetActions {
  constructor(
    private readonly set: ChangeSet,
    private readonly comparisons: Comparisons,
    private readonly comments: SetComments,
  ) {}

  /** Returns true if the active editor shows a file of the set, or the active tab compares files of the set. */
  get isHere(): boolean {
    return this.here() !== undefined || this.comparisons.isActive;
  }

  get isEmpty(): boolean {
    return this.set.files.length === 0;
  }

  /** Shows files, or the whole set: a single file in a diff editor, several files in one list of comparisons. */
  async open(files: readonly SetFile[] = this.set.files): Promise<void> {
    const [first] = files;
    if (files.length > MOST_COMPARISONS) {
      await vscode.commands.executeCommand('workbench.view.scm');
    } else if (first && files.length === 1) {
      await this.comparisons.open(first, newSideHunks(first)[0]?.start);
    } else if (first) {
      await this.comparisons.openAll(files);
    }
  }

  /** Shows the comparison of a file, at the hunk of the target or of the cursor. */
  async compare(target?: SetTarget): Promise<void> {
    const here = this.here();
    const file = target ? this.targetFile(target) : here?.file;
    if (!file) {
      void inform(vscode.l10n.t('No changes to review in this file.'));
      return;
    }
    const current = here && here.file === file ? hunkAt(here.hunks, here.editor.selection.active.line) : undefined;
    const key = target?.key ?? (current && keyOf(current));
    await this.comparisons.open(file, file.hunks.find((hunk) => keyOf({ hunk, file }) === key)?.newStart);
  }

  /**
   * Decides the hunk of the target, or the hunk at the cursor; from the cursor, goes on to the next hunk. What the
   * file does not show whole is compared instead of accepted: the comparison shows what would be written.
   */
  async decide(outcome: Outcome, target?: SetTarget): Promise<void> {
    const here = target ? undefined : this.here();
    if (here && outcome === 'accept' && isUnseen(here)) {
      await this.compare();
      return;
    }
    if (here && (here.hunks.length === 0 || this.isOneText(here))) {
      await this.decideFile(outcome);
      return;
    }
    const meeting = here && outcome === 'accept' ? this.conflictAt(here) : undefined;
    if (meeting) {
      await this.chooseLines(meeting);
      return;
    }
    let decided: { file: SetFile; key: string; own: OwnHunk | undefined; before: string } | undefined;
    const failed = await this.set.decide(() => {
      const hunk = target ? this.targetHunk(target) : this.hunkAtCursor();
      if (!hunk) {
        return [];
      }
      const { file } = hunk;
      const own = here?.isComparison || target?.isOwn ? this.ownHunk(hunk) : undefined;
      if (target?.isOwn && !own) {
        void inform(vscode.l10n.t('This hunk has changed; look again, then decide.'));
        return [];
      }
      decided = { file, key: keyOf(hunk), own, before: this.comparisons.proposed(file) };
      const decision = decisionOn(file, outcome, hunk.hunk, this.comments.of(file, decided.key));
      return [own?.isEdited && outcome === 'accept' ? { ...decision, text: own.text } : decision];
    });
    if (decided && failed.length === 0) {
      if (decided.own) {
        await this.comparisons.decided(decided.file, decided.own, outcome, decided.before);
      }
      this.comments.end(decided.file, decided.key);
      if (!target) {
        await this.goOn(decided.file);
      }
    }
  }

  /** Shows a hunk in the present document. */
  async show(placed: PlacedHunk): Promise<void> {
    reveal(await vscode.window.showTextDocument(vscode.Uri.parse(presentUri(placed.file), true)), placed);
  }

  /** Puts the lines of both sides of the target's hunk, or of the hunk at the cursor, into the proposed text, for the user to settle the conflict. */
  async settle(target?: SetTarget): Promise<void> {
    const placed = target ? this.targetHunk(target) : this.hunkAtCursor();
    if (placed) {
      await this.comparisons.settle(placed.file, placed.hunk);
    }
  }

  /** Asks whose lines count: a key that accepts never replaces lines of the user without a question. */
  private async chooseLines(placed: PlacedHunk): Promise<void> {
    const { uri: setUri, sessionId } = placed.file;
    const target: SetTarget = { setUri, sessionId, key: keyOf(placed) };
    const entries = [
      { label: vscode.l10n.t('Take Theirs'), icon: 'check', run: () => this.decide('accept', target) },
      { label: vscode.l10n.t('Keep Mine'), icon: 'close', run: () => this.decide('reject', target) },
      { label: vscode.l10n.t('Resolve…'), icon: 'git-merge', run: () => this.settle(target) },
    ];
    const placeHolder = vscode.l10n.t('You have changed these lines too');
    await (await pick(entries, { title: vscode.l10n.t('Conflict'), placeHolder }))?.run();
  }

  /** Decides the file of the target, or the file of the active editor; an accepted file may have the user's own text. */
  async decideFile(outcome: Outcome, target?: SetTarget): Promise<void> {
    const here = target ? undefined : this.here()?.file;
    await this.decideFiles(outcome, () => {
      const file = target ? this.targetFile(target) : here && this.set.now(here);
      return file ? [target?.version === undefined ? file : { ...file, version: target.version }] : [];
    });
    if (here) {
      await this.goOn(here);
    }
  }

  /**
   * Decides all files of a state; without such files, all files of the set. One command never decides proposed and
   * written changes together. The active tab says whether a change is meant for which a call waits, or the rest of the
   * set; without a file of the set in the active tab, all files of the window's session are meant.
   */
  async decideAll(outcome: Outcome, state: SetFile['state']): Promise<void> {
    const shown = this.here()?.file ?? this.comparisons.active[0];
    const { id } = this.set.session;
    await this.decideEach(outcome, () => {
      const isMeant = ({ sessionId, waits }: SetFile) =>
        shown ? sessionId === shown.sessionId && waits === shown.waits : sessionId === id;
      const all = this.set.files.filter(isMeant);
      const files = all.filter((file) => file.state === state);
      return files.length > 0 ? files : all;
    });
  }

  /** Decides all files that the set has in a state, of all sessions. */
  async decideState(outcome: Outcome, state: SetFile['state']): Promise<void> {
    await this.decideEach(outcome, () => this.set.files.filter((file) => file.state === state));
  }

  /**
   * Decides the files, each with the user's own text and comments. A conflict that has no text of the user's own is not
   * accepted, and the user is told.
   */
  async decideEach(outcome: Outcome, choose: () => readonly SetFile[]): Promise<void> {
    let files: readonly SetFile[] = [];
    const choices = () => {
      files = choose();
      return files.filter(
        (file) => outcome === 'reject' || isAcceptable(file) || this.comparisons.ownText(file) !== undefined,
      );
    };
    await this.decideFiles(outcome, choices);
    if (outcome === 'accept') {
      this.tellOfConflicts(files.flatMap((file) => this.set.now(file) ?? []));
    }
  }

  /** Says which of the files are left, as their lines or the files themselves are in conflict. */
  private tellOfConflicts(files: readonly SetFile[]): void {
    const left = files.filter((file) => file.conflict || conflictsIn(file).length > 0);
    if (left.length > 0) {
      const names = left.map(({ uri }) => vscode.workspace.asRelativePath(vscode.Uri.parse(uri, true)));
      void inform(vscode.l10n.t('In conflict with your text, and not accepted: {0}', names.join(', ')));
    }
  }

  /** Goes to the next hunk or the previous hunk, over all files of the set, and wraps around at the ends. */
  async step(by: 1 | -1): Promise<void> {
    const here = this.here();
    const inFile = here && stepFrom(here.hunks, here.editor.selection.active.line, by);
    if (here && inFile) {
      reveal(here.editor, inFile);
      return;
    }
    const { files } = this.set;
    const at = here ? files.indexOf(here.file) : by > 0 ? -1 : 0;
    const next = files[(at + by + files.length) % files.length];
    if (!next) {
      void inform(vscode.l10n.t('No changes to review in this session.'));
      return;
    }
    if (this.comparisons.isListed(next)) {
      // The list alone can move the focus from file to file.
      await vscode.commands.executeCommand(`multiDiffEditor.goTo${by > 0 ? 'Next' : 'Previous'}Change`);
    } else {
      await this.goTo(next, by, here?.isComparison ?? false);
    }
  }

  /** Starts a comment on the hunk of the target, or on the hunk at the cursor. */
  async comment(target?: SetTarget): Promise<void> {
    const here = this.here();
    const placed = target?.key
      ? here?.hunks.find((hunk) => keyOf(hunk) === target.key)
      : here && hunkAt(here.hunks, here.editor.selection.active.line);
    if (!here || (!placed && here.hunks.length > 0)) {
      void inform(vscode.l10n.t('No hunk at the cursor.'));
      return;
    }
    await this.comments.begin(here.editor.document, placed);
  }

  /** Asks for a comment on the file of the target, or on the file of the active editor; the file stays undecided. */
  async commentFile(target?: SetTarget): Promise<void> {
    const file = target ? this.targetFile(target) : this.here()?.file;
    if (!file) {
      void inform(vscode.l10n.t('No changes to review in this file.'));
      return;
    }
    const text = await input({
      title: vscode.l10n.t('Comment on {0}', vscode.workspace.asRelativePath(vscode.Uri.parse(file.uri, true))),
      prompt: vscode.l10n.t('The agent reads the comment with its next step; nothing is decided.'),
      placeHolder: vscode.l10n.t('What should change here?'),
      ignoreFocusOut: true,
    });
    if (text?.trim() && (await this.comments.tellOfFile(file, text.trim()))) {
      void inform(vscode.l10n.t('Sent; the agent reads the comment with its next step'));
    }
  }

  async discardText(target?: SetTarget): Promise<void> {
    const file = target ? this.targetFile(target) : this.here()?.file;
    if (file) {
      await this.comparisons.discard(file);
    }
  }

  /** Returns the decisions for an answer about all files, as far as the user has typed in or commented on the files. */
  wordsOn(outcome: Outcome, files: readonly SetFile[]): StagedDecision[] {
    return files.flatMap((file) => {
      const { sessionId: _, ...decision } = this.fileDecision(file, outcome);
      return decision.text !== undefined || decision.comment ? [decision] : [];
    });
  }

  private async decideFiles(outcome: Outcome, choose: () => readonly SetFile[]): Promise<void> {
    let files: readonly SetFile[] = [];
    const failed = await this.set.decide(() => {
      files = choose();
      return files.map((file) => this.fileDecision(file, outcome));
    });
    const uris = new Set(failed.map(({ uri }) => uri));
    for (const file of files) {
      if (!uris.has(file.uri)) {
        this.comments.end(file);
      } else {
        const present = this.set.now(file);
        // The user has been told that the proposal changed, and decides about the same text again.
        if (present) {
          this.comparisons.rebase(present);
        }
      }
    }
  }

  private fileDecision(file: SetFile, outcome: Outcome): SetDecision {
    const own = outcome === 'accept' ? this.comparisons.ownText(file) : undefined;
    const decision = decisionOn(file, outcome, undefined, this.comments.of(file));
    return own ? { ...decision, version: own.version, text: own.text } : decision;
  }

  private async goTo(file: SetFile, by: 1 | -1, inComparison: boolean): Promise<void> {
    if (inComparison || !hasDocument(file) || file.hunks.length === 0) {
      const hunks = newSideHunks(file);
      await this.comparisons.open(file, (by > 0 ? hunks[0] : hunks.at(-1))?.start);
      return;
    }
    const editor = await vscode.window.showTextDocument(vscode.Uri.parse(presentUri(file), true));
    const hunks = placedHunks(file);
    const placed = by > 0 ? hunks[0] : hunks.at(-1);
    if (placed) {
      reveal(editor, placed);
    }
  }

  /**
   * Goes from a decided hunk to the next hunk of the same file; from the last hunk of a file for which a call waits, to
   * the next file of the call.
   */
  private async goOn(decided: SetFile): Promise<void> {
    const here = this.here();
    const next = here && stepFrom(here.hunks, here.editor.selection.active.line - 1, 1);
    const others = this.set.files.filter(({ waits }) => waits !== undefined && waits === decided.waits);
    const [file] = others;
    if (here && next) {
      reveal(here.editor, next);
    } else if (file && !this.set.now(decided) && !this.comparisons.isShownBy(allTabs(), file)) {
      await this.comparisons.open(file, newSideHunks(file)[0]?.start);
    }
  }

  private targetFile({ setUri, sessionId }: SetTarget): SetFile | undefined {
    return this.set.get(setUri, sessionId);
  }

  private targetHunk(target: SetTarget): PlacedHunk | undefined {
    const { key } = target;
    const file = this.targetFile(target);
    const placed = file && placedHunks(file).find((placed) => keyOf(placed) === key);
    if (!placed) {
      void inform(vscode.l10n.t('This hunk has changed; look again, then decide.'));
    }
    return placed;
  }

  /** Returns the hunk in conflict at the cursor, unless the user has put a text in its place. */
  private conflictAt({ editor, hunks, isComparison }: Here): PlacedHunk | undefined {
    const placed = hunkAt(hunks, editor.selection.active.line);
    const isOwn = placed && isComparison && this.ownHunk(placed)?.isEdited;
    return placed && isInConflict(placed.hunk) && !isOwn ? placed : undefined;
  }

  /** Returns the hunk in the user's own text. */
  private ownHunk({ file, hunk }: PlacedHunk): OwnHunk | undefined {
    return this.comparisons.ownHunks(file)?.find((own) => own.hunk.id === hunk.id);
  }

  /** Returns true if the user has edited the proposal in such a way that only the whole text can be accepted. */
  private isOneText({ isComparison, file }: Here): boolean {
    return isComparison && this.comparisons.ownText(file) !== undefined && !this.comparisons.ownHunks(file);
  }

  private hunkAtCursor(): PlacedHunk | undefined {
    const here = this.here();
    const placed = here && hunkAt(here.hunks, here.editor.selection.active.line);
    if (!placed) {
      void inform(vscode.l10n.t('No hunk at the cursor.'));
    }
    return placed;
  }

  private here(): Here | undefined {
    const editor = vscode.window.activeTextEditor;
    const uri = editor?.document.uri;
    const present = uri && this.set.of(uri);
    if (editor && present) {
      return { editor, file: present, hunks: placedHunks(present), isComparison: false };
    }
    const compared = uri && this.comparisons.of(uri);
    if (!editor || !compared) {
      return undefined;
    }
    const hunks = this.comparisons.ownHunks(compared) ?? newSideHunks(compared);
    return { editor, file: compared, hunks, isComparison: true };
  }
}

/** Returns true if the editor does not show whole what accepting at the cursor would write. */
function isUnseen({ editor, file, hunks, isComparison }: Here): boolean {
  const current = hunkAt(hunks, editor.selection.active.line);
  return (
    !isComparison &&
    (hunks.length === 0 ? isLeftOut(file) : current !== undefined && !isShownWhole(current, isWrapped(editor.document)))
  );
}

function reveal(editor: vscode.TextEditor, placed: PlacedHunk): void {
  const at = editor.document.validatePosition(new vscode.Position(placed.start, 0));
  editor.selection = new vscode.Selection(at, at);
  editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
