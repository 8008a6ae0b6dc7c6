/** Two sides of a review: the old texts, which are read-only, and the proposed texts, which the user may edit. */
import * as vscode from 'vscode';

export const BASE = 'placet-base';
export const PROPOSAL = 'placet-proposal';

export class BaseTexts implements vscode.TextDocumentContentProvider, vscode.Disposable {
  /** Texts by URI; a text may still be on the way. */
  private readonly texts = new Map<string, string | Promise<string>>();
  private readonly changes = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changes.event;
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(BASE, this);

  provideTextDocumentContent(uri: vscode.Uri): string | Promise<string> {
    return this.texts.get(uri.toString()) ?? '';
  }

  set(uri: vscode.Uri, text: string | Promise<string>): void {
    const before = this.texts.get(uri.toString());
    this.texts.set(uri.toString(), text);
    if (before !== undefined) {
      const tell = ([old, now]: string[]) => old !== now && this.changes.fire(uri);
      // The reader of a text learns that the text could not be had.
      void Promise.all([before, text]).then(tell, () => undefined);
    }
  }

  delete(uri: vscode.Uri): void {
    this.texts.delete(uri.toString());
  }

  dispose(): void {
    this.registration.dispose();
    this.changes.dispose();
  }
}

interface Proposed {
  /** Bytes, which may still be on the way. */
  content: Uint8Array | Promise<Uint8Array>;
  created: number;
  modified: number;
}

/** Files in memory. Saving such a file keeps VS Code from asking about the file; only the document's text counts. */
export class ProposalFiles implements vscode.FileSystemProvider, vscode.Disposable {
  private readonly files = new Map<string, Proposed>();
  private readonly changes = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changes.event;
  private readonly registration = vscode.workspace.registerFileSystemProvider(PROPOSAL, this, {
    isCaseSensitive: true,
  });

  set(uri: vscode.Uri, text: string | Promise<string>): void {
    const now = Date.now();
    const bytes = (text: string) => new TextEncoder().encode(text);
    this.files.set(uri.toString(), {
      content: typeof text === 'string' ? bytes(text) : text.then(bytes),
      created: now,
      modified: now,
    });
  }

  delete(uri: vscode.Uri): void {
    this.files.delete(uri.toString());
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const file = this.find(uri);
    const { byteLength } = await file.content;
    return {
      type: vscode.FileType.File,
      ctime: file.created,
      mtime: file.modified,
      size: byteLength,
    };
  }

  readFile(uri: vscode.Uri): Uint8Array | Promise<Uint8Array> {
    return this.find(uri).content;
  }

  writeFile(uri: vscode.Uri, content: Uint8Array): void {
    const file = this.find(uri);
    file.content = content;
    file.modified = Math.max(Date.now(), file.modified + 1);
    this.changes.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.registration.dispose();
    this.changes.dispose();
  }

  private find(uri: vscode.Uri): Proposed {
    const file = this.files.get(uri.toString());
    if (!file) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    return file;
  }
}
