/** Marks the lines of an inline prompt in the editor while Placet works. */
import * as vscode from 'vscode';

/** Marks the range in every editor of the document, also in editors that open later, until disposal. */
export function mark(uri: vscode.Uri, range: vscode.Range, words: string): vscode.Disposable {
  const type = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.rangeHighlightBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.infoForeground'),
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  const note = vscode.window.createTextEditorDecorationType({
    after: {
      contentText: words,
      color: new vscode.ThemeColor('editorGhostText.foreground'),
      margin: '0 0 0 2em',
      fontStyle: 'italic',
    },
  });
  const draw = (editors: readonly vscode.TextEditor[]) => {
    for (const editor of editors.filter(({ document }) => document.uri.toString() === uri.toString())) {
      editor.setDecorations(type, [range]);
      editor.setDecorations(note, [
        editor.document.lineAt(Math.min(range.end.line, editor.document.lineCount - 1)).range,
      ]);
    }
  };
  draw(vscode.window.visibleTextEditors);
  return vscode.Disposable.from(type, note, vscode.window.onDidChangeVisibleTextEditors(draw));
}
