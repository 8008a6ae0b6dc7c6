/**
 * Shows Placet beside Git in the Source Control view: proposed, unreviewed, written and rejected changes, and
 * the gutter of the last turn.
 */
import * as vscode from 'vscode';
import type { ChangeSet } from '../change_set/change_set';
import { countOf, type SetFile } from '../change_set/files';
import { detailsOf } from '../change_set/lenses';
import { hunkCount } from '../ui/counts';
import { plain } from '../ui/plain_text';
import type { ChangeHistory } from './change_history';
import { beforeLastTurn, type FileShares, filesIn, type State } from './change_list';
import { stateWord } from './state_word';

const BEFORE = 'placet-before';

/** Line of the view, with the data for the line's commands. */
export interface Resource extends vscode.SourceControlResourceState {
  state: State;
  uri: string;
  shares?: FileShares['shares'];
  /** File of the change set, with the session and the shown version. */
  setUri?: string;
  sessionId?: string;
  version?: string;
}

const GROUPS = ['proposed', 'unreviewed', 'kept', 'dropped'] as const;
type GroupId = (typeof GROUPS)[number];
const NOTHING = { proposed: [], unreviewed: [], kept: [], dropped: [] };

/** Source control of Placet, which exists only while a group has a resource. */
export class ChangesProvider implements vscode.Disposable {
  private control: vscode.SourceControl | undefined;
  private groups: Record<GroupId, vscode.SourceControlResourceGroup> | undefined;
  private lists: Record<GroupId, readonly Resource[]> = NOTHING;
  /** Texts of the originals, by URI. */
  private readonly texts = new Map<string, string>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly set: ChangeHistory,
    private readonly changeSet: ChangeSet,
  ) {
    this.subscriptions = [
      set.onDidChange(() => this.draw()),
      changeSet.onDidChange(() => this.draw()),
      vscode.workspace.registerTextDocumentContentProvider(BEFORE, {
        provideTextDocumentContent: (uri) => this.texts.get(uri.toString()) ?? '',
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => void this.texts.delete(uri.toString())),
    ];
  }

  /** Returns the resources of a group, for counting. */
  resources(id: GroupId): readonly Resource[] {
    return this.lists[id];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
    this.control?.dispose();
  }

  private draw(): void {
    const { files } = this.changeSet;
    const unreviewed = files.filter(({ state }) => state === 'unreviewed');
    const isReviewed = ({ uri }: FileShares) => !unreviewed.some((file) => file.uri === uri);
    const lists: Record<GroupId, Resource[]> = {
      proposed: files.filter(({ state }) => state === 'staged').map(resourceOf),
      unreviewed: unreviewed.map(resourceOf),
      kept: filesIn(this.set.changes, 'kept')
        .filter(isReviewed)
        .map((fileShares) => this.listed(fileShares, 'kept')),
      dropped: (['dropped', 'reverted'] as const).flatMap((state) =>
        filesIn(this.set.changes, state).map((fileShares) => this.listed(fileShares, state)),
      ),
    };
    if (Object.values(lists).every((list) => list.length === 0)) {
      this.control?.dispose();
      this.control = undefined;
      this.groups = undefined;
      this.lists = NOTHING;
      return;
    }
    const groups = this.opened();
    this.lists = lists;
    for (const id of GROUPS) {
      groups[id].resourceStates = lists[id];
    }
    if (this.control) {
      this.control.count = lists.proposed.length + lists.unreviewed.length;
    }
  }

  private opened(): Record<GroupId, vscode.SourceControlResourceGroup> {
    if (this.groups) {
      return this.groups;
    }
    const control = vscode.scm.createSourceControl('placet', 'Placet');
    control.inputBox.visible = false;
    control.quickDiffProvider = { provideOriginalResource: (uri) => this.original(uri) };
    const group = (id: GroupId, label: string) => {
      const made = control.createResourceGroup(id, label);
      made.hideWhenEmpty = true;
      return made;
    };
    this.control = control;
    this.groups = {
      proposed: group('proposed', vscode.l10n.t('Proposed')),
      unreviewed: group('unreviewed', vscode.l10n.t('Unreviewed')),
      kept: group('kept', vscode.l10n.t('Written')),
      dropped: group('dropped', vscode.l10n.t('Rejected')),
    };
    return this.groups;
  }

  private listed(fileShares: FileShares, state: State): Resource {
    const resource: Resource = {
      state,
      uri: fileShares.uri,
      shares: fileShares.shares,
      resourceUri: vscode.Uri.parse(fileShares.uri, true),
      contextValue: state,
      decorations: {
        tooltip: `${wordsOf(fileShares, state)} +${fileShares.additions} −${fileShares.deletions}`,
        faded: state !== 'kept',
        strikeThrough: state === 'kept' && fileShares.shares.at(-1)?.file.kind === 'delete',
      },
    };
    const command = { command: 'placet.changes.open', title: vscode.l10n.t('Open Change'), arguments: [resource] };
    return { ...resource, command };
  }

  /** Returns the original for the gutter: the file before the last turn that touched the file; undefined if unknown. */
  async original(uri: vscode.Uri): Promise<vscode.Uri | undefined> {
    const before = uri.scheme === 'file' ? beforeLastTurn(this.set.changes, uri.toString()) : undefined;
    const change = before && (await this.set.withTexts(before.id));
    const file = change?.files.find((file) => sameFile(file.newUri ?? file.uri, uri));
    if (!change || file?.oldText === undefined || file.kind === 'create') {
      return undefined;
    }
    const original = uri.with({ scheme: BEFORE, query: change.id, authority: '', fragment: '' });
    this.texts.set(original.toString(), file.oldText);
    return original;
  }
}

/** Returns the line of a file of the change set. */
function resourceOf(file: SetFile): Resource {
  const { uri, sessionId, state, kind, version, additions, deletions, conflict, description, waits } = file;
  const hunks = hunkCount(countOf([file]).hunks);
  const counts = description === undefined ? `, +${additions} −${deletions}` : '';
  const waiting = waits === undefined ? '' : ` · ${vscode.l10n.t('Waiting')}`;
  const details = `${conflict ?? `${hunks}${counts}${detailsOf(file)}`}${waiting}`;
  return {
    state: state === 'staged' ? 'proposed' : 'kept',
    uri,
    setUri: uri,
    sessionId,
    version,
    resourceUri: vscode.Uri.parse(uri, true),
    contextValue: state,
    decorations: { tooltip: plain(details), strikeThrough: kind === 'delete', faded: conflict !== undefined },
    command: {
      command: 'placet.changeSet.compare',
      title: vscode.l10n.t('Compare'),
      arguments: [{ setUri: uri, sessionId, version }],
    },
  };
}

/** Returns the words for the file's shares, each word once: an edit can be accepted, and the next written by a rule. */
function wordsOf({ shares }: FileShares, state: State): string {
  return [...new Set(shares.map(({ change }) => stateWord(change, state)))].join(', ');
}

function sameFile(spelling: string, other: vscode.Uri): boolean {
  return vscode.Uri.parse(spelling, true).toString() === other.toString();
}
