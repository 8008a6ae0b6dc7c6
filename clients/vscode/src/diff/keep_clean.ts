/**
 * Saves proposals during typing, so that closing a review asks nothing; and without the changes that a save may make to
 * a text.
 */
import * as vscode from 'vscode';

const REST_MILLISECONDS = 150;
/** Settings that change a text on save, each with a check for the value that means off. */
const PARTICIPANTS: readonly (readonly [section: string, isOff: (value: unknown) => boolean])[] = [
  ['editor.formatOnSave', (value) => !value],
  ['editor.codeActionsOnSave', (value) => Object.keys(value ?? {}).length === 0],
  ['files.trimTrailingWhitespace', (value) => !value],
  ['files.trimFinalNewlines', (value) => !value],
  ['files.insertFinalNewline', (value) => !value],
];

export class KeptClean implements vscode.Disposable {
  private readonly timers = new Map<vscode.TextDocument, NodeJS.Timeout>();

  /** Saves a changed document after a pause in typing, provided that a save leaves the text unchanged. */
  changed(document: vscode.TextDocument): void {
    clearTimeout(this.timers.get(document));
    if (isLeftAlone(document)) {
      this.timers.set(
        document,
        setTimeout(() => void this.save(document), REST_MILLISECONDS),
      );
    } else if (vscode.window.activeTextEditor?.document === document) {
      // The command saves the active editor, so the command must not wait: the user may go to another editor.
      void vscode.commands.executeCommand('workbench.action.files.saveWithoutFormatting');
    }
  }

  /**
   * Prepares a document for closing: the unsaved text goes into the file system, and VS Code reads the text from the
   * file system.
   */
  async settle(document: vscode.TextDocument): Promise<void> {
    clearTimeout(this.timers.get(document));
    this.timers.delete(document);
    if (document.isDirty && !document.isClosed) {
      const edit = new vscode.WorkspaceEdit();
      const contents = new TextEncoder().encode(document.getText());
      edit.createFile(document.uri, { overwrite: true, contents });
      await vscode.workspace.applyEdit(edit);
    }
  }

  dispose(): void {
    for (const timer of this.timers.values()) {
      clearTimeout(timer);
    }
  }

  private async save(document: vscode.TextDocument): Promise<void> {
    this.timers.delete(document);
    if (document.isDirty && !document.isClosed) {
      await document.save();
    }
  }
}

function isLeftAlone(document: vscode.TextDocument): boolean {
  const configuration = vscode.workspace.getConfiguration(undefined, document);
  return PARTICIPANTS.every(([section, isOff]) => isOff(configuration.get(section)));
}
