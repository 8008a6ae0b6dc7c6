/** Shows the hunks of the change set in the files themselves: marks in the margin, and the proposed lines. */
import * as vscode from 'vscode';
import { diffHover } from '../ui/window';
import type { ChangeSet } from './change_set';
import { diffOf, hintsOf, isInConflict, type PlacedHunk, placedHunks, type SetFile } from './files';

/** Largest hunk that a hover shows in full. */
const MOST_HOVER_LINES = 60;

export class Marks implements vscode.Disposable {
  private readonly proposed: vscode.TextEditorDecorationType;
  private readonly unreviewed: vscode.TextEditorDecorationType;
  /** Places without lines of their own, by the state of the file. */
  private readonly places: Record<SetFile['state'], vscode.TextEditorDecorationType>;
  private readonly conflicts: vscode.TextEditorDecorationType;
  private readonly hints: vscode.TextEditorDecorationType;
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly set: ChangeSet,
    extensionUri: vscode.Uri,
  ) {
    const icon = (name: string, theme: string) =>
      vscode.Uri.joinPath(extensionUri, 'media', 'review', `${name}-${theme}.svg`);
    const make = (name: string, color: string, background?: string) =>
      vscode.window.createTextEditorDecorationType({
        isWholeLine: true,
        ...(background ? { backgroundColor: new vscode.ThemeColor(background) } : {}),
        overviewRulerColor: new vscode.ThemeColor(color),
        overviewRulerLane: vscode.OverviewRulerLane.Left,
        dark: { gutterIconPath: icon(name, 'dark') },
        light: { gutterIconPath: icon(name, 'light') },
        gutterIconSize: '70%',
      });
    this.proposed = make('pending', 'placet.pendingHunk', 'diffEditor.removedLineBackground');
    this.unreviewed = make('unreviewed', 'placet.unreviewedHunk', 'diffEditor.insertedLineBackground');
    this.places = {
      staged: make('pending', 'placet.pendingHunk'),
      unreviewed: make('unreviewed', 'placet.unreviewedHunk'),
    };
    this.conflicts = vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      borderWidth: '0 0 0 3px',
      borderStyle: 'solid',
      borderColor: new vscode.ThemeColor('editorWarning.foreground'),
      overviewRulerColor: new vscode.ThemeColor('editorWarning.foreground'),
      overviewRulerLane: vscode.OverviewRulerLane.Full,
    });
    this.hints = vscode.window.createTextEditorDecorationType({
      after: { margin: '0 0 0 2em', color: new vscode.ThemeColor('editorCodeLens.foreground'), fontStyle: 'italic' },
    });
    this.subscriptions = [
      set.onDidChange(() => this.draw()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.draw()),
    ];
    this.draw();
  }

  dispose(): void {
    const types = [this.proposed, this.unreviewed, this.conflicts, this.hints, ...Object.values(this.places)];
    vscode.Disposable.from(...this.subscriptions, ...types).dispose();
  }

  private draw(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const file = this.set.of(editor.document.uri);
      const hunks = file ? placedHunks(file) : [];
      const marks = (state: SetFile['state'], hasLines: boolean) =>
        hunks
          .filter((placed) => placed.file.state === state && placed.length > 0 === hasLines)
          .map((placed) => ({ range: rangeOf(editor.document, placed), hoverMessage: hoverOf(placed) }));
      editor.setDecorations(this.proposed, marks('staged', true));
      editor.setDecorations(this.unreviewed, marks('unreviewed', true));
      editor.setDecorations(this.places.staged, marks('staged', false));
      editor.setDecorations(this.places.unreviewed, marks('unreviewed', false));
      editor.setDecorations(
        this.conflicts,
        hunks.filter(({ hunk }) => isInConflict(hunk)).map((placed) => rangeOf(editor.document, placed)),
      );
      editor.setDecorations(
        this.hints,
        hunks.flatMap((placed) => hintDecorations(editor.document, placed)),
      );
    }
  }
}

/** Returns the lines of the hunk; a hunk without lines is at the line before the hunk's place. */
export function rangeOf(document: vscode.TextDocument, { start, length }: PlacedHunk): vscode.Range {
  const last = document.lineCount - 1;
  const first = Math.min(length === 0 ? Math.max(start - 1, 0) : start, last);
  return new vscode.Range(first, 0, Math.max(first, Math.min(start + length - 1, last)), 0);
}

function hintDecorations(document: vscode.TextDocument, placed: PlacedHunk): vscode.DecorationOptions[] {
  const { start } = rangeOf(document, placed);
  return hintsOf(placed).map((contentText, index) => {
    const line = document.lineAt(Math.min(start.line + index, document.lineCount - 1));
    return { range: new vscode.Range(line.range.end, line.range.end), renderOptions: { after: { contentText } } };
  });
}

/** Returns the hunk as a diff, without the end of a long hunk. */
function hoverOf({ file, hunk }: PlacedHunk): vscode.MarkdownString {
  const lines = diffOf(hunk).split('\n');
  const shown = lines.length > MOST_HOVER_LINES ? [...lines.slice(0, MOST_HOVER_LINES), '…'] : lines;
  const title =
    file.state === 'staged' ? vscode.l10n.t('Proposed by Placet') : vscode.l10n.t('Written by Placet, unreviewed');
  return diffHover(title, shown.join('\n'));
}
