/** Commands on an answered change: show the change, revert the change, apply rejected hunks. */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import type { DiffView, ShownFile } from '../diff/diff_view';
import type { CurrentSession } from '../sessions/current';
import { inform, warn } from '../ui/window';
import type { ListedChange, ListedFile, ListedHunk, UndoResult } from '../wire';
import type { ChangeHistory } from './change_history';
import { placeOf, type Share, type State } from './change_list';

/** File of the changes, with the chosen shares, as the views pass the file. */
export interface Chosen {
  state: State;
  uri: string;
  shares?: readonly Share[];
  /** Hunk of the last share. */
  hunk?: ListedHunk;
}

/** Parameter from the Source Control view, or a line of a tree. */
type Line = Chosen | { subject?: unknown } | undefined;

function chosenOf(of: Line): Chosen | undefined {
  const subject = of && 'subject' in of ? of.subject : of;
  return typeof subject === 'object' && subject && 'shares' in subject ? (subject as Chosen) : undefined;
}

type Commands = Record<string, (...parameters: never[]) => unknown>;

/** Returns the commands by command id. */
export function changeCommands(agent: Agent, set: ChangeHistory, diffs: DiffView): Commands {
  return {
    'placet.changes.open': (of?: Line) => openShares(set, diffs, chosenOf(of)),
    'placet.changes.undoFile': (...of: Line[]) => undoFiles(agent, set, of.map(chosenOf)),
    'placet.changes.putIn': (of?: Line) => putIn(agent, set.session, chosenOf(of)),
  };
}

/** Shows a change as proposed, before and after; without the texts, only the hunks. */
export async function openChange(
  set: ChangeHistory,
  diffs: DiffView,
  changeId: string,
  sessionId: string,
  uri?: string,
): Promise<void> {
  const change = await set.withTexts(changeId, sessionId);
  const files = (change?.files ?? []).filter((file) => !uri || file.uri === uri || file.newUri === uri).map(shownFile);
  if (files.length === 0) {
    void inform(vscode.l10n.t('This change has no text to show.'));
    return;
  }
  await diffs.show(changeId, titleOf(files), files, { sessionId });
}

async function openShares(set: ChangeHistory, diffs: DiffView, chosen: Chosen | undefined): Promise<void> {
  const { shares = [], uri = '', hunk } = chosen ?? {};
  const sessionId = set.session.id;
  const [first, last] = [shares[0], shares.at(-1)];
  if (!sessionId || !first || !last) {
    return;
  }
  const [before, after] = await Promise.all([first, last].map(({ change }) => set.withTexts(change.id)));
  const old = fileOf(before, first.file);
  const now = fileOf(after, last.file);
  const shown: ShownFile = {
    ...shownFile(now ?? last.file),
    uri,
    ...(old?.oldText !== undefined && now?.newText !== undefined ? { oldText: old.oldText } : {}),
  };
  const line = hunk?.newStart;
  const options = { sessionId, ...(line === undefined ? {} : { line }) };
  await diffs.show(`${last.change.id}-${first.change.id}`, titleOf([shown]), [shown], options);
}

/** Reverts all changes of the session to these files. */
async function undoFiles(agent: Agent, set: ChangeHistory, chosen: readonly (Chosen | undefined)[]): Promise<void> {
  const sessionId = set.session.id;
  // A view passes the whole selection, and first the line that the command was chosen on.
  const uris = [...new Set(chosen.flatMap((chosen) => (chosen ? [chosen.uri] : [])))];
  if (!sessionId || uris.length === 0) {
    return;
  }
  const { files } = await agent.request<UndoResult>('agent/undo', { sessionId, uris });
  const conflicts = files.filter(({ status }) => status === 'conflict');
  if (conflicts.length > 0) {
    const reasons = conflicts.map(({ uri, reason }) => `${nameOf(uri)}: ${reason ?? ''}`);
    void warn(`Placet: ${reasons.join('; ')}`);
  }
  set.look();
}

/** Applies rejected hunks to the file, as an edit by the user without saving. The agent learns of the edit. */
async function putIn(agent: Agent, session: CurrentSession, chosen: Chosen | undefined): Promise<void> {
  if (!chosen) {
    return;
  }
  const { uri, shares = [], hunk } = chosen;
  const share = shares.at(-1);
  const hunks = hunk ? [hunk] : (share?.hunks ?? []);
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri, true)).then(
    (opened) => opened,
    () => undefined,
  );
  const lines =
    document
      ?.getText()
      .replaceAll('\r\n', '\n')
      .match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const edit = new vscode.WorkspaceEdit();
  const places = hunks.map((hunk) => ({ hunk, at: placeOf(hunk, share?.file.hunks ?? [], lines) }));
  if (!document || hunks.length === 0 || places.some(({ at }) => at === undefined)) {
    const why = vscode.l10n.t(
      '{0} has changed at this place. Open the change, and copy the text by hand.',
      nameOf(uri),
    );
    void warn(`Placet: ${why}`);
    return;
  }
  for (const { hunk, at = 0 } of places) {
    const range = new vscode.Range(at, 0, at + hunk.oldLines.length, 0);
    edit.replace(document.uri, document.validateRange(range), hunk.newLines.join(''));
  }
  if ((await vscode.workspace.applyEdit(edit)) && session.id && share) {
    const ids = hunks.map(({ id }) => id);
    const { change, file } = share;
    agent.notify('agent/didPutIn', { sessionId: session.id, changeId: change.id, uri: file.uri, hunks: ids });
  }
  const editor = await vscode.window.showTextDocument(document, { preview: true });
  const at = new vscode.Position(places[0]?.at ?? 0, 0);
  editor.selection = new vscode.Selection(at, at);
  editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

function fileOf(change: ListedChange | undefined, file: ListedFile): ListedFile | undefined {
  return change?.files.find((listedFile) => listedFile.uri === file.uri);
}

/** Returns the file with both texts; without the texts, the hunks stand in. */
function shownFile(file: ListedFile): ShownFile {
  const hunks = file.hunks ?? [];
  const { uri, kind } = file;
  return {
    uri,
    kind,
    ...(file.newUri ? { newUri: file.newUri } : {}),
    oldText: file.oldText ?? hunks.flatMap(({ oldLines }) => oldLines).join(''),
    newText: file.newText ?? hunks.flatMap(({ newLines }) => newLines).join(''),
  };
}

function titleOf(files: readonly ShownFile[]): string {
  const [first] = files;
  return first && files.length === 1 ? `${nameOf(first.newUri ?? first.uri)} (Placet)` : 'Placet';
}

function nameOf(uri: string): string {
  return vscode.workspace.asRelativePath(vscode.Uri.parse(uri, true));
}
