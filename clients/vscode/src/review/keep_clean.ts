/** Proposals are saved as they are typed, so that closing a review asks nothing; and without what a save may do to a text. */
import * as vscode from 'vscode';

const REST_MILLISECONDS = 150;
/** What VS Code does to a text that is saved: the settings that say so, with the value that means no. */
const PARTICIPANTS: readonly (readonly [section: string, isOff: (value: unknown) => boolean])[] = [
  ['editor.formatOnSave', (value) => !value],
  ['editor.codeActionsOnSave', (value) => Object.keys(value ?? {}).length === 0],
  ['files.trimTrailingWhitespace', (value) => !value],
  ['files.trimFinalNewlines', (value) => !value],
  ['files.insertFinalNewline', (value) => !value],
];

export class KeptClean implements vscode.Disposable {
  private readonly timers = new Map<vscode.TextDocument, NodeJS.Timeout>();

  /** Its text has changed: save it, once it has come to rest where a save is known to leave the text alone. */
  changed(document: vscode.TextDocument): void {
    clearTimeout(this.timers.get(document));
    if (isLeftAlone(document)) {
      this.timers.set(
        document,
        setTimeout(() => void this.save(document), REST_MILLISECONDS),
      );
    } else if (vscode.window.activeTextEditor?.document === document) {
      // Saves the editor that is active, so it must not wait: the user may go to another.
      void vscode.commands.executeCommand('workbench.action.files.saveWithoutFormatting');
    }
  }

  /** Its editors are to be closed: whatever was not saved is told to the file system, and VS Code reads it from there. */
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
