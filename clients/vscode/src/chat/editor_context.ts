/** The file and the selection of the active editor, which the chat offers beside the next prompt. */
import * as vscode from 'vscode';
import { linesOf } from '../editor/locations';
import type { FileAttachment } from './messages';

const QUIET_MILLISECONDS = 150;

export class EditorContext implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly subscriptions: vscode.Disposable;
  private timer: NodeJS.Timeout | undefined;
  private shown: FileAttachment | undefined = currentOf(vscode.window.activeTextEditor);

  constructor() {
    this.subscriptions = vscode.Disposable.from(
      this.changed,
      // The chat itself takes the focus from the editor: the editor stays the context until another editor is active.
      vscode.window.onDidChangeActiveTextEditor((editor) => editor && this.look()),
      vscode.window.onDidChangeTextEditorSelection(() => this.look()),
      vscode.window.tabGroups.onDidChangeTabs(() => this.look()),
    );
  }

  get current(): FileAttachment | undefined {
    return this.shown;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscriptions.dispose();
  }

  private look(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
      const current = currentOf(editor);
      if (JSON.stringify(current) !== JSON.stringify(this.shown)) {
        this.shown = current;
        this.changed.fire();
      }
    }, QUIET_MILLISECONDS);
  }
}

function currentOf(editor: vscode.TextEditor | undefined): FileAttachment | undefined {
  if (editor?.document.uri.scheme !== 'file' || !vscode.workspace.getWorkspaceFolder(editor.document.uri)) {
    return undefined;
  }
  const { selection, document } = editor;
  const name = vscode.workspace.asRelativePath(document.uri);
  const uri = document.uri.toString();
  return selection.isEmpty ? { type: 'file', uri, name } : { type: 'file', uri, name, range: linesOf(selection) };
}
