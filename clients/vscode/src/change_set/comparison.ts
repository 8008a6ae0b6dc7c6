/**
 * Comparisons of the change set in VS Code's diff editors. A staged file is compared with the proposed text, which the
 * user may edit; an unreviewed file is compared with the text before.
 */
import * as vscode from 'vscode';
import { KeptClean } from '../diff/keep_clean';
import { BASE, type BaseTexts, PROPOSAL, type ProposalFiles } from '../diff/sides';
import { fileCount } from '../ui/counts';
import { allTabs, closeTabs, listedBy, quietly, textOf } from '../ui/tabs';
import type { Hunk } from '../wire';
import type { ChangeSet } from './change_set';
import {
  markedLines,
  nameOf,
  newSideHunks,
  type Outcome,
  type OwnHunk,
  ownHunks,
  presentUri,
  type SetFile,
  withLines,
} from './files';

/** Two sides of a file's comparison. */
interface Pair {
  file: SetFile;
  label: vscode.Uri;
  left: vscode.Uri;
  right: vscode.Uri;
}

/** Proposed text that an editor shows. */
interface ShownText {
  file: SetFile;
  /** Absent until the first text has arrived. */
  text: string | undefined;
  /** Text that was asked for last; an earlier text that arrives later is dropped. */
  latest: Promise<string>;
}

/** Text that the user typed in place of a proposed text. */
interface OwnText {
  text: string;
  /** Version of the proposal over which the user typed. */
  version: string;
}

export class Comparisons implements vscode.Disposable {
  private readonly clean = new KeptClean();
  private readonly changed = new vscode.EventEmitter<void>();
  /** Fires when the user edits a proposed text, and when an editor gets another proposed text. */
  readonly onDidChange = this.changed.event;
  /** Proposed texts that an editor shows, by the URI of the document. */
  private readonly shown = new Map<string, ShownText>();
  /** Texts by session and file: another session in the window ends no text. */
  private readonly own = new Map<string, OwnText>();
  private shownSession: string | undefined;
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly set: ChangeSet,
    private readonly bases: BaseTexts,
    private readonly proposals: ProposalFiles,
  ) {
    this.subscriptions = [
      set.onDidChange(() => void this.follow()),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length > 0 && this.shown.has(document.uri.toString())) {
          this.typed(document);
        }
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.forget(uri)),
    ];
    // A window that is loaded again may show comparisons whose texts are gone.
    void closeTabs(this.openTabs());
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions, this.clean, this.changed).dispose();
  }

  /** Returns the file of the set whose proposed text a document shows. */
  of(uri: vscode.Uri): SetFile | undefined {
    const shown = this.shown.get(uri.toString());
    return shown && this.set.now(shown.file);
  }

  /** Returns true if the active tab compares files of the set. */
  get isActive(): boolean {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    return tab !== undefined && sidesOf(tab).some(isOfSet);
  }

  /** Returns the files of the set that the active tab compares. */
  get active(): readonly SetFile[] {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    return tab ? this.set.files.filter((file) => this.isShownBy([tab], file)) : [];
  }

  /** Returns true if the active tab is a list of comparisons with the file. */
  isListed(file: SetFile): boolean {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    return tab !== undefined && listedBy(tab).length > 0 && this.isShownBy([tab], file);
  }

  /** Returns true if one of the tabs compares the file, by itself or in a list. */
  isShownBy(tabs: readonly vscode.Tab[], file: SetFile): boolean {
    const { left } = pairOf(file);
    return tabs.some((tab) => sidesOf(tab).some((side) => side.toString() === left.toString()));
  }

  /** Returns the text that the user typed in place of the proposed text of a file. */
  ownText(file: SetFile): OwnText | undefined {
    return this.own.get(nameOf(file));
  }

  /** Returns the hunks in the user's own text; undefined without such a text, or where no hunk stands for itself. */
  ownHunks(file: SetFile): readonly OwnHunk[] | undefined {
    const own = this.ownText(file);
    const proposed = this.shown.get(pairOf(file).right.toString())?.text;
    return own && proposed !== undefined && own.version === file.version
      ? ownHunks(file, proposed, own.text)
      : undefined;
  }

  /**
   * Follows a decision about one hunk of an edited proposal: the rest of the user's own text stays, over the proposal
   * without the hunk. If the proposal has changed otherwise, the next decision tells the user.
   */
  async decided(file: SetFile, hunk: OwnHunk, outcome: Outcome, before: string): Promise<void> {
    const own = this.ownText(file);
    const old = newSideHunks(file).find((other) => other.hunk.id === hunk.hunk.id);
    if (!own || !old) {
      return;
    }
    const oldText = hunk.hunk.oldLines.join('');
    const expected = withLines(before, old, outcome === 'accept' ? hunk.text : oldText);
    const text = outcome === 'accept' ? own.text : withLines(own.text, hunk, oldText);
    const present = await this.set.texts(file);
    if (present?.newText !== expected || this.ownText(file)?.text !== own.text) {
      return;
    }
    this.own.set(nameOf(file), { text, version: present.version });
    if (text === present.newText) {
      this.own.delete(nameOf(file));
    }
    if (text !== own.text) {
      await this.replace(pairOf(file).right, text);
    }
    this.changed.fire();
  }

  /** Returns the proposed text over which the user types. */
  proposed(file: SetFile): string {
    return this.shown.get(pairOf(file).right.toString())?.text ?? '';
  }

  /** Makes the user's own text a text over the present proposal, which the user has been told about. */
  rebase(file: SetFile): void {
    const own = this.ownText(file);
    if (own) {
      this.own.set(nameOf(file), { ...own, version: file.version });
    }
  }

  /** Returns the document of the proposed text to the proposed text. */
  async discard(file: SetFile): Promise<void> {
    const uri = pairOf(file).right;
    const text = (await this.set.texts(file))?.newText ?? '';
    await this.replace(uri, text);
    this.own.delete(nameOf(file));
    this.changed.fire();
  }

  /** Opens the comparison of a file without a request of the user: the tab hides nothing and takes no focus. */
  async offer(file: SetFile): Promise<void> {
    await this.open(file, undefined, quietly());
  }

  /** Opens the comparison of one file, at a line of the right side. */
  async open(file: SetFile, line?: number, how: vscode.TextDocumentShowOptions = { preview: false }): Promise<void> {
    const pair = this.prepared(file);
    const selection = line === undefined ? {} : { selection: new vscode.Range(line, 0, line, 0) };
    const name = vscode.workspace.asRelativePath(pair.label);
    const title =
      file.state === 'staged'
        ? vscode.l10n.t('{0} (proposed by Placet)', name)
        : vscode.l10n.t('{0} (unreviewed)', name);
    await vscode.commands.executeCommand('vscode.diff', pair.left, pair.right, title, { ...how, ...selection });
  }

  /**
   * Opens the comparison at a hunk in conflict, with the lines of both sides between conflict markers in place of the
   * hunk. A text of the user's own stays.
   */
  async settle(file: SetFile, hunk: Hunk): Promise<void> {
    await this.open(file, hunk.newStart);
    const { right } = pairOf(file);
    const { version, newText } = (await this.set.texts(file)) ?? {};
    if (version !== file.version || newText === undefined || this.ownText(file)) {
      return;
    }
    const place = { file, hunk, start: hunk.newStart, length: hunk.newLines.length };
    await this.replace(right, withLines(newText, place, markedLines(hunk)));
  }

  /** Opens all files in one list of comparisons, in place of the comparisons of single files. */
  async openAll(files: readonly SetFile[]): Promise<void> {
    const pairs = files.map((file) => this.prepared(file));
    const title = vscode.l10n.t('Placet: {0} to review', fileCount(pairs.length));
    const resources = pairs.map(({ label, left, right }) => [label, left, right]);
    await vscode.commands.executeCommand('vscode.changes', title, resources);
    // Without this command, the next opened file would replace the tab.
    await vscode.commands.executeCommand('workbench.action.keepEditor');
    const single = this.openTabs().filter((tab) => listedBy(tab).length === 0);
    await closeTabs(single.filter((tab) => files.some((file) => this.isShownBy([tab], file))));
  }

  /** Provides the texts of both sides; the editors open while the texts are on the way. */
  private prepared(file: SetFile): Pair {
    const pair = pairOf(file);
    const texts = this.set.texts(file);
    const side = (name: 'oldText' | 'newText') => texts.then((both) => both?.[name] ?? '');
    this.bases.set(pair.left, side('oldText'));
    if (file.description !== undefined && file.kind !== 'delete') {
      this.bases.set(pair.right, side('newText'));
    } else if (pair.right.scheme === PROPOSAL) {
      this.put(pair.right, file, side('newText'));
    }
    return pair;
  }

  /** Makes the text the proposed text of the document; a text of the user's own stays. */
  private put(uri: vscode.Uri, file: SetFile, text: Promise<string>): void {
    const key = uri.toString();
    const before = this.shown.get(key);
    this.shown.set(key, { file, text: before?.text, latest: text });
    if (before === undefined) {
      this.proposals.set(uri, this.ownText(file)?.text ?? text);
    }
    const take = (now: string) => {
      const shown = this.shown.get(key);
      if (shown?.latest !== text) {
        return;
      }
      if (before !== undefined && shown.text !== now && !this.ownText(file)) {
        this.proposals.writeFile(uri, new TextEncoder().encode(now));
      }
      this.shown.set(key, { ...shown, text: now });
      if (shown.text !== now) {
        this.changed.fire();
      }
    };
    // The editor that reads the text learns that the text could not be had.
    void text.then(take, () => undefined);
  }

  private typed(document: vscode.TextDocument): void {
    const shown = this.shown.get(document.uri.toString());
    const file = shown && this.set.now(shown.file);
    if (!shown || !file) {
      return;
    }
    const text = document.getText().replaceAll('\r\n', '\n');
    if (text === shown.text) {
      this.own.delete(nameOf(file));
    } else {
      this.own.set(nameOf(file), { text, version: this.ownText(file)?.version ?? shown.file.version });
    }
    this.clean.changed(document);
    this.changed.fire();
  }

  /** Brings the open texts in step with the set, and closes comparisons of files that left the set. */
  private async follow(): Promise<void> {
    const isSameSession = this.shownSession === this.set.session.id;
    this.shownSession = this.set.session.id;
    for (const [key, { file }] of this.shown) {
      if (!this.set.now(file)) {
        if (isSameSession || file.waits !== undefined) {
          this.own.delete(nameOf(file));
        }
        const document = documentOf(vscode.Uri.parse(key, true));
        if (document) {
          await this.clean.settle(document);
        } else {
          this.forget(vscode.Uri.parse(key, true));
        }
      }
    }
    const open = this.openTabs();
    await closeTabs(open.filter((tab) => this.isOver(tab)));
    const sides = new Set(open.flatMap(sidesOf).map(String));
    const stay = this.set.files.filter((file) =>
      [pairOf(file).left, pairOf(file).right].some((uri) => sides.has(String(uri))),
    );
    for (const file of stay) {
      this.prepared(file);
    }
  }

  private async replace(uri: vscode.Uri, text: string): Promise<void> {
    const document = documentOf(uri);
    if (document) {
      const edit = new vscode.WorkspaceEdit();
      edit.replace(uri, new vscode.Range(0, 0, document.lineCount, 0), text);
      await vscode.workspace.applyEdit(edit);
    }
  }

  private openTabs(): vscode.Tab[] {
    return allTabs().filter((tab) => sidesOf(tab).some(isOfSet));
  }

  /** Returns true if no file of the tab is in the set. */
  private isOver(tab: vscode.Tab): boolean {
    const present = new Set(this.set.files.flatMap((file) => [pairOf(file).left, pairOf(file).right].map(String)));
    return !sidesOf(tab).some((uri) => isOfSet(uri) && present.has(uri.toString()));
  }

  private forget(uri: vscode.Uri): void {
    const shown = this.shown.get(uri.toString());
    if (shown && !this.set.now(shown.file)) {
      this.shown.delete(uri.toString());
      this.proposals.delete(uri);
    }
  }
}

/** Returns the URIs of the two sides of a session's file. The path stays, so that language and name are right. */
function pairOf(file: SetFile): Pair {
  const label = vscode.Uri.parse(file.uri, true);
  const present = vscode.Uri.parse(presentUri(file), true);
  const authority = file.sessionId.toLowerCase().replace(/[^a-z0-9.-]/g, '-');
  // The query keeps the old authority (a server's name); otherwise two files could have the same URI.
  const own = (uri: vscode.Uri, scheme: string) => uri.with({ scheme, authority, query: uri.authority });
  const left = own(present, BASE);
  if (file.kind === 'delete') {
    return { file, label, left, right: left.with({ fragment: 'deleted' }) };
  }
  if (file.description !== undefined) {
    return { file, label, left, right: left.with({ fragment: 'described' }) };
  }
  // The file itself has the new text of an unreviewed change.
  return { file, label, left, right: file.state === 'staged' ? own(label, PROPOSAL) : label };
}

function isOfSet({ scheme }: vscode.Uri): boolean {
  return scheme === BASE || scheme === PROPOSAL;
}

function sidesOf(tab: vscode.Tab): vscode.Uri[] {
  const diffs = tab.input instanceof vscode.TabInputTextDiff ? [tab.input] : listedBy(tab);
  const text = textOf(tab);
  return [...diffs.flatMap(({ original, modified }) => [original, modified]), ...(text ? [text] : [])];
}

function documentOf(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
}
