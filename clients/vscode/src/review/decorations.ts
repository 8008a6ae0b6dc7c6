/** Shows the decisions at the hunks: a sign in the margin, and a faded text for a rejected hunk. */
import * as vscode from 'vscode';
import type { ReviewedFile, Unit } from './change';

type State = 'accepted' | 'rejected' | 'pending' | 'current' | 'conflict';

const CONTRAST = [vscode.ColorThemeKind.HighContrast, vscode.ColorThemeKind.HighContrastLight];

export class Decorations implements vscode.Disposable {
  private readonly types: Record<State | 'struck', vscode.TextEditorDecorationType>;

  constructor(extensionUri: vscode.Uri) {
    const icon = (name: string, theme: string) =>
      vscode.Uri.joinPath(extensionUri, 'media', 'review', `${name}-${theme}.svg`);
    const make = (state: State, more: vscode.DecorationRenderOptions = {}) =>
      vscode.window.createTextEditorDecorationType({
        isWholeLine: true,
        overviewRulerColor: new vscode.ThemeColor(`placet.${state}Hunk`),
        overviewRulerLane: vscode.OverviewRulerLane.Left,
        dark: { gutterIconPath: icon(state, 'dark') },
        light: { gutterIconPath: icon(state, 'light') },
        gutterIconSize: '70%',
        ...more,
      });
    this.types = {
      accepted: make('accepted'),
      rejected: make('rejected', { opacity: '0.45', textDecoration: 'line-through; opacity: 0.45' }),
      // A high-contrast theme fades no text.
      struck: make('rejected', { textDecoration: 'line-through' }),
      pending: make('pending'),
      current: vscode.window.createTextEditorDecorationType({
        isWholeLine: true,
        borderWidth: '0 0 0 3px',
        borderStyle: 'solid',
        borderColor: new vscode.ThemeColor('focusBorder'),
      }),
      conflict: vscode.window.createTextEditorDecorationType({
        isWholeLine: true,
        borderWidth: '0 0 0 3px',
        borderStyle: 'solid',
        borderColor: new vscode.ThemeColor('editorWarning.foreground'),
        overviewRulerColor: new vscode.ThemeColor('editorWarning.foreground'),
        overviewRulerLane: vscode.OverviewRulerLane.Full,
      }),
    };
  }

  /** Shows the file's decisions and conflicts in an editor of the proposal. */
  draw(
    editor: vscode.TextEditor,
    reviewedFile: ReviewedFile,
    { current, isInConflict }: { current: string | undefined; isInConflict: (key: string) => boolean },
  ): void {
    const of = (fits: (unit: Unit) => boolean) => reviewedFile.units.filter(fits).map((unit) => rangeOf(editor, unit));
    editor.setDecorations(
      this.types.accepted,
      of((unit) => unit.decision === 'accepted'),
    );
    const isContrast = CONTRAST.includes(vscode.window.activeColorTheme.kind);
    const rejected = of((unit) => unit.decision === 'rejected');
    editor.setDecorations(this.types.rejected, isContrast ? [] : rejected);
    editor.setDecorations(this.types.struck, isContrast ? rejected : []);
    editor.setDecorations(
      this.types.pending,
      of((unit) => unit.decision === undefined),
    );
    editor.setDecorations(
      this.types.current,
      of((unit) => unit.key === current),
    );
    editor.setDecorations(
      this.types.conflict,
      of((unit) => isInConflict(unit.key)),
    );
  }

  dispose(): void {
    vscode.Disposable.from(...Object.values(this.types)).dispose();
  }
}

/**
 * Returns the lines of a hunk in the proposal; a hunk with only deletions stands before the line at the hunk's place.
 */
export function rangeOf(editor: { document: vscode.TextDocument }, unit: Unit): vscode.Range {
  const last = editor.document.lineCount - 1;
  const start = Math.min(unit.newStart, last);
  const end = Math.min(unit.newStart + Math.max(unit.newLines.length, 1) - 1, last);
  return new vscode.Range(start, 0, Math.max(start, end), 0);
}
