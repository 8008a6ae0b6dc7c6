/** Code lenses over each hunk of the change set, in the files and in the comparisons: the state, and the actions. */
import * as vscode from 'vscode';
import { isWrapped } from '../editor/documents';
import { plain } from '../ui/plain_text';
import {
  isAcceptable,
  isInConflict,
  isLeftOut,
  isShownWhole,
  keyOf,
  type OwnHunk,
  type PlacedHunk,
  type SetFile,
  type SetTarget,
} from './files';

/** Document with hunks of the set. */
export interface SeenFile {
  file: SetFile;
  /** Hunks with their lines in the document; in an edited text that is accepted as a whole only, at their old lines. */
  hunks: readonly (PlacedHunk | OwnHunk)[];
  /** True in a comparison, which needs no way to the comparison. */
  isComparison: boolean;
  /** True if the user has changed the proposed text in the comparison. */
  isEdited: boolean;
}

export class SetLenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changes.event;
  private readonly registration: vscode.Disposable;

  constructor(
    selector: vscode.DocumentSelector,
    private readonly find: (uri: vscode.Uri) => SeenFile | undefined,
  ) {
    this.registration = vscode.languages.registerCodeLensProvider(selector, this);
  }

  refresh(): void {
    this.changes.fire();
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const seen = this.find(document.uri);
    if (!seen) {
      return [];
    }
    const ofFile = seen.hunks.length === 0 || seen.isEdited ? fileLenses(seen) : [];
    const hunks = seen.isEdited ? seen.hunks.filter((placed) => 'isEdited' in placed) : seen.hunks;
    const ofHunks = hunks.flatMap((placed, index) => hunkLenses(document, seen, placed, index + 1));
    return [...ofFile, ...ofHunks];
  }

  dispose(): void {
    this.registration.dispose();
    this.changes.dispose();
  }
}

function hunkLenses(document: vscode.TextDocument, seen: SeenFile, placed: PlacedHunk | OwnHunk, number: number) {
  const { file, isComparison, isEdited, hunks } = seen;
  const line = Math.min(placed.start, document.lineCount - 1);
  const { uri: setUri, sessionId } = file;
  const target: SetTarget = { setUri, sessionId, key: keyOf(placed), ...(isEdited && { isOwn: true }) };
  const lens = (title: string, command: string, tooltip: string) => lensAt(line, title, command, tooltip, target);
  const isOwn = 'isEdited' in placed && placed.isEdited;
  const meets = isInConflict(placed.hunk) && !isOwn;
  const words = meets ? conflictWords() : isEdited ? ownWordsOf(placed, file) : wordsOf(file);
  const place = vscode.l10n.t('{0} of {1}', number, hunks.length);
  const isWhole = isComparison || isShownWhole(placed, isWrapped(document));
  return [
    lens(`${words.state} · ${place}${detailsOf(file)}`, 'placet.changeSet.compare', words.compare),
    isWhole
      ? lens(`$(check)\u00a0${words.accept}`, 'placet.review.accept', 'Alt+Y')
      : lens(...compareToAccept('Alt+Y')),
    lens(`$(close)\u00a0${words.reject}`, 'placet.review.reject', 'Alt+N'),
    ...(meets
      ? [
          lens(
            `$(git-merge)\u00a0${vscode.l10n.t('Resolve…')}`,
            'placet.changeSet.settle',
            vscode.l10n.t('Edit both texts between conflict markers'),
          ),
        ]
      : []),
    lens(`$(comment)\u00a0${vscode.l10n.t('Comment')}`, 'placet.review.comment', 'Alt+C'),
    ...(isComparison || !isWhole
      ? []
      : [lens(`$(diff)\u00a0${vscode.l10n.t('Compare')}`, 'placet.changeSet.compare', words.compare)]),
  ];
}

/** Returns the words, behind other words, about permissions and about the content of a file that is no text. */
export function detailsOf({ permissions, description }: SetFile): string {
  const details = description === undefined ? [] : [plain(description)];
  if (permissions !== undefined) {
    const isExecutable = permissions === 'executable';
    details.push(isExecutable ? vscode.l10n.t('made executable') : vscode.l10n.t('permissions {0}', permissions));
  }
  return details.map((words) => ` · ${words}`).join('');
}

/** Returns the lenses of a file without hunks: a whole file, a conflict, or a text of the user's own. */
function fileLenses({ file, isComparison, isEdited }: SeenFile): vscode.CodeLens[] {
  const words = wordsOf(file);
  const { uri: setUri, sessionId, version } = file;
  const target: SetTarget = { setUri, sessionId, version };
  const lens = (title: string, command: string, tooltip: string) => lensAt(0, title, command, tooltip, target);
  const kinds = {
    create: vscode.l10n.t('New file'),
    modify: vscode.l10n.t('File'),
    delete: vscode.l10n.t('Delete file'),
    rename: vscode.l10n.t('Rename file'),
  };
  const state = isEdited
    ? vscode.l10n.t('Edited by you')
    : file.conflict
      ? vscode.l10n.t('Conflict')
      : `${words.state} · ${kinds[file.kind]}${detailsOf(file)}`;
  const canAccept = isEdited || isAcceptable(file);
  const isUnseen = canAccept && !isComparison && isLeftOut(file);
  const accept = isEdited ? vscode.l10n.t('Accept Your Text') : words.accept;
  return [
    lens(state, 'placet.changeSet.compare', plain(file.conflict ?? words.compare)),
    ...(isUnseen ? [lens(...compareToAccept(words.compare))] : []),
    ...(canAccept && !isUnseen ? [lens(`$(check)\u00a0${accept}`, 'placet.review.acceptFile', words.acceptFile)] : []),
    lens(`$(close)\u00a0${words.reject}`, 'placet.review.rejectFile', words.rejectFile),
    lens(
      `$(comment)\u00a0${vscode.l10n.t('Comment')}`,
      'placet.changeSet.commentFile',
      vscode.l10n.t('Comment on the file; nothing is decided'),
    ),
    ...(isEdited
      ? [
          lens(
            `$(discard)\u00a0${vscode.l10n.t('Discard Your Text')}`,
            'placet.changeSet.discardText',
            vscode.l10n.t('Return to the proposed text'),
          ),
        ]
      : []),
    ...(isComparison || isUnseen
      ? []
      : [lens(`$(diff)\u00a0${vscode.l10n.t('Compare')}`, 'placet.changeSet.compare', words.compare)]),
  ];
}

/** Words, command and tooltip of the lens for lines that the file does not show whole. */
function compareToAccept(tooltip: string): [string, string, string] {
  return [`$(diff)\u00a0${vscode.l10n.t('Compare to Accept')}`, 'placet.changeSet.compare', tooltip];
}

function lensAt(line: number, title: string, command: string, tooltip: string, target: SetTarget): vscode.CodeLens {
  return new vscode.CodeLens(new vscode.Range(line, 0, line, 0), { title, command, tooltip, arguments: [target] });
}

/** Returns the words for a hunk whose lines the user has changed too. */
function conflictWords() {
  return {
    state: vscode.l10n.t('Conflict'),
    accept: vscode.l10n.t('Take Theirs'),
    reject: vscode.l10n.t('Keep Mine'),
    compare: vscode.l10n.t('You have changed these lines too. Compare the file with the proposed text'),
  };
}

/** Returns the words for one hunk of an edited proposal, next to the words for the whole text. */
function ownWordsOf(placed: PlacedHunk | OwnHunk, file: SetFile) {
  return {
    state: 'isEdited' in placed && placed.isEdited ? vscode.l10n.t('Edited by you') : wordsOf(file).state,
    accept: vscode.l10n.t('Accept Hunk'),
    reject: vscode.l10n.t('Reject Hunk'),
    compare: vscode.l10n.t('Compare the file with the proposed text'),
  };
}

function wordsOf({ state, waits }: SetFile) {
  return state === 'staged'
    ? {
        state: waits === undefined ? vscode.l10n.t('Proposed') : vscode.l10n.t('Waiting'),
        accept: vscode.l10n.t('Accept'),
        reject: vscode.l10n.t('Reject'),
        acceptFile: vscode.l10n.t('Accept File'),
        rejectFile: vscode.l10n.t('Reject File'),
        compare: vscode.l10n.t('Compare the file with the proposed text'),
      }
    : {
        state: vscode.l10n.t('Unreviewed'),
        accept: vscode.l10n.t('Keep'),
        reject: vscode.l10n.t('Undo'),
        acceptFile: vscode.l10n.t('Keep File'),
        rejectFile: vscode.l10n.t('Undo File'),
        compare: vscode.l10n.t('Compare the file with the text before'),
      };
}
