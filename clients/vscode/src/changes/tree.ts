/** Tree of the current session's changes: turns, files, and hunks with their states. */
import * as vscode from 'vscode';
import type { ChangeSet } from '../change_set/change_set';
import { keyOf } from '../change_set/files';
import type { SessionView } from '../sessions/session_view';
import { fileCount } from '../ui/counts';
import { line, type Node, type Tree } from '../ui/tree';
import type { ListedChange, ListedFile, ListedHunk } from '../wire';
import type { ChangeHistory } from './change_history';
import { type ListedTurn, type State, stateOf, turnsOf } from './change_list';
import type { Chosen } from './commands';
import { stateWord } from './state_word';

const ICONS: Record<State, vscode.ThemeIcon> = {
  proposed: new vscode.ThemeIcon('question', new vscode.ThemeColor('placet.pendingHunk')),
  kept: new vscode.ThemeIcon('check', new vscode.ThemeColor('placet.acceptedHunk')),
  dropped: new vscode.ThemeIcon('close', new vscode.ThemeColor('placet.rejectedHunk')),
  reverted: new vscode.ThemeIcon('discard'),
};

export function changesTree(set: ChangeHistory, session: SessionView, changeSet: ChangeSet): Tree {
  const changed = new vscode.EventEmitter<void>();
  for (const event of [set.onDidChange, session.onDidChange, changeSet.onDidChange]) {
    event(() => changed.fire());
  }
  return {
    onDidChange: changed.event,
    roots: () => turnsOf(set.changes).map((turn) => turnNode(turn, session.log.titles.get(turn.id))),
    get badge() {
      const value = changeSet.files.length;
      return value > 0 ? { value, tooltip: vscode.l10n.t('{0} to review', value) } : undefined;
    },
  };
}

function turnNode(turn: ListedTurn, title: string | undefined): Node {
  const shares = turn.changes.flatMap((change) => change.files.map((file) => ({ change, file })));
  const label = title || vscode.l10n.t('Earlier turn');
  const count = fileCount(new Set(shares.map(({ file }) => file.uri)).size);
  return {
    item: line(label, `${label}, ${count}`, {
      id: `turn ${turn.id}`,
      description: count,
      contextValue: 'turn',
      iconPath: new vscode.ThemeIcon('comment-discussion'),
      collapsibleState: vscode.TreeItemCollapsibleState.Expanded,
    }),
    children: () => shares.map(({ change, file }) => fileNode(change, file)),
  };
}

function fileNode(change: ListedChange, file: ListedFile): Node {
  const state = stateOf(change, file);
  const uri = vscode.Uri.parse(file.newUri ?? file.uri, true);
  const name = vscode.workspace.asRelativePath(uri);
  const hunks = file.hunks ?? [];
  const lines = file.additions === undefined ? '' : `+${file.additions} −${file.deletions}`;
  const details = [stateWord(change, state), ...(change.agent ? [change.agent] : []), ...(lines ? [lines] : [])].join(
    ' · ',
  );
  return {
    item: line(name, `${name}, ${kindWord(file.kind)}, ${details}`, {
      id: `file ${change.id} ${file.uri}`,
      resourceUri: uri,
      description: details,
      tooltip: `${name}\n${details}`,
      contextValue: state,
      iconPath: ICONS[state],
      command: opening(change, file, state),
      collapsibleState:
        hunks.length > 0 ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None,
    }),
    children: () => hunks.map((hunk) => hunkNode(change, file, hunk)),
    subject: chosen(change, file, state),
  };
}

function hunkNode(change: ListedChange, file: ListedFile, hunk: ListedHunk): Node {
  const text = [...hunk.newLines, ...hunk.oldLines].map((text) => text.trim()).find((text) => text !== '') ?? '';
  const count = `+${hunk.newLines.length} −${hunk.oldLines.length}`;
  const place = vscode.l10n.t('line {0}', hunk.oldStart + 1);
  return {
    item: line(text || place, `${place}, ${stateWord(change, hunk.state)}, ${count}, ${text}`, {
      id: `hunk ${change.id} ${file.uri} ${hunk.id}`,
      description: `${place} · ${stateWord(change, hunk.state)} · ${count}`,
      contextValue: `hunk.${hunk.state}`,
      iconPath: ICONS[hunk.state],
      command: opening(change, file, hunk.state, hunk),
    }),
    subject: chosen(change, file, hunk.state, hunk),
  };
}

/** Returns the command of a click: compares the file of a waiting change, or else opens the change as proposed. */
function opening(change: ListedChange, file: ListedFile, state: State, hunk?: ListedHunk): vscode.Command {
  const title = vscode.l10n.t('Open Change');
  if (state === 'proposed' && change.requestId) {
    const { hunks = [] } = file;
    const target = { setUri: file.newUri ?? file.uri, ...(hunk && { key: keyOf({ hunk, file: { hunks } }) }) };
    return { command: 'placet.changeSet.compare', title, arguments: [target] };
  }
  return { command: 'placet.changes.open', title, arguments: [chosen(change, file, state, hunk)] };
}

function chosen(change: ListedChange, file: ListedFile, state: State, hunk?: ListedHunk): Chosen {
  const hunks = hunk ? [hunk] : (file.hunks ?? []).filter((hunk) => hunk.state === state);
  const uri = file.newUri && state === 'kept' ? file.newUri : file.uri;
  return { state, uri, shares: [{ change, file, hunks }], ...(hunk ? { hunk } : {}) };
}

function kindWord(kind: ListedFile['kind']): string {
  const words = {
    create: vscode.l10n.t('new file'),
    modify: vscode.l10n.t('changed file'),
    delete: vscode.l10n.t('deleted file'),
    rename: vscode.l10n.t('renamed file'),
  };
  return words[kind];
}
