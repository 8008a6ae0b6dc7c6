/** Services of VS Code for one page of the chat. */
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { ChangeSet } from '../change_set/change_set';
import { countOf } from '../change_set/files';
import type { OtherSets } from '../change_set/other_sets';
import type { Agent } from '../daemon/agent';
import type { DiffView, ShownFile } from '../diff/diff_view';
import { nameOf } from '../editor/locations';
import type { Prompter } from '../permissions/prompter';
import type { ShownPage } from '../permissions/shown_requests';
import type { CurrentSession } from '../sessions/current';
import type { PageSession } from '../sessions/page_session';
import type { Preferences } from '../sessions/preferred';
import type { Preferred } from '../sessions/preferred_model';
import type { ReviewMode } from '../sessions/review_mode';
import { runInTerminal } from '../terminal/run';
import type { ShellHistory } from '../terminal/shell_history';
import { complain, confirm, inform, input } from '../ui/window';
import { addedContext } from './added_context';
import type { Host } from './bridge';
import type { EditorContext } from './editor_context';
import type { Attachment, Candidate, FileAttachment, HostRequests, Remedy, ReviewState } from './messages';

const CANDIDATES = 50;
const LEFT_OUT = '**/{node_modules,.git,.venv,dist,build,__pycache__}/**';

type Serve = { [M in keyof HostRequests]: (params: HostRequests[M]['params']) => Promise<HostRequests[M]['result']> };

export class EditorHost implements Host {
  private readonly requests: Serve = {
    'host/complete': ({ query }) => complete(query),
    'host/confirm': async ({ message, detail, action }) => await confirm(message, detail, action),
    'host/input': async ({ title, value }) => (await input({ title, value })) ?? null,
    'host/save': ({ name, text }) => save(name, text),
    'host/mentions': async ({ uris }) => uris.flatMap(mention),
    'host/pick': pick,
    'host/context': ({ kind }) => addedContext(kind, this.history),
  };

  constructor(
    private readonly agent: Agent,
    private readonly prompter: Prompter,
    private readonly shown: ShownPage,
    private readonly diffs: DiffView,
    private readonly page: PageSession,
    private readonly current: CurrentSession,
    private readonly mode: ReviewMode,
    private readonly changeSet: ChangeSet,
    private readonly otherSets: OtherSets,
    private readonly preferences: Preferences,
    private readonly editorContext: EditorContext,
    private readonly history: ShellHistory,
  ) {}

  serve<M extends keyof HostRequests>(
    method: M,
    params: HostRequests[M]['params'],
  ): Promise<HostRequests[M]['result']> {
    return this.requests[method](params);
  }

  openFile(name: string, line: number | undefined): void {
    const uri = uriOf(name);
    const at = line === undefined ? undefined : new vscode.Range(line - 1, 0, line - 1, 0);
    const options = { preview: true, ...(at ? { selection: at } : {}) };
    vscode.window.showTextDocument(uri, options).then(undefined, () => {
      void inform(vscode.l10n.t('{0} no longer exists.', name));
    });
  }

  openChange(sessionId: string, changeId: string, uri: string | undefined): void {
    void this.agent
      .request('agent/changes', { sessionId, changeIds: [changeId], contents: true })
      .then(({ changes }) => {
        const files = changes.flatMap((change) => change.files).filter((file) => uri === undefined || file.uri === uri);
        const shown = files.flatMap(({ oldText, newText, ...file }): ShownFile[] =>
          oldText === undefined || newText === undefined ? [] : [{ ...file, oldText, newText }],
        );
        if (shown.length === 0) {
          void inform(vscode.l10n.t('The texts of this change are no longer stored.'));
        }
        return this.diffs.show(changeId, 'Placet', shown, { sessionId });
      }, complain);
  }

  openLink(url: string): void {
    void vscode.env.openExternal(vscode.Uri.parse(url, true));
  }

  openText(language: string, text: string): void {
    void openText(language, text);
  }

  review(askId: string): void {
    void this.prompter.review(askId);
  }

  shows(askIds: readonly string[], others: readonly string[]): void {
    this.shown.show(askIds, others);
  }

  session(sessionId: string | null, opening: number): void {
    this.page.takeSession(sessionId, opening);
  }

  used(opening: number): void {
    this.page.takeUse(opening);
  }

  get opening(): number {
    return this.current.opening;
  }

  onOpening(listener: () => void): { dispose(): void } {
    return this.current.onOpening(listener);
  }

  get pageSession(): string | null | undefined {
    return this.page.shown;
  }

  onPageSession(listener: () => void): { dispose(): void } {
    return this.page.onChange((isByUser) => isByUser || listener());
  }

  get reviewState(): ReviewState {
    const { id: sessionId } = this.current;
    // A card stands for the files for which a call waits.
    const files = this.changeSet.files.filter(({ waits }) => waits === undefined);
    return { sessionId, mode: this.mode.current, ...countOf(files), others: this.otherSets.all };
  }

  onReviewState(listener: () => void): { dispose(): void } {
    return vscode.Disposable.from(
      this.mode.onDidChange(listener),
      this.changeSet.onDidChange(listener),
      this.otherSets.onDidChange(listener),
    );
  }

  get editorFile(): FileAttachment | undefined {
    return this.editorContext.current;
  }

  onEditorFile(listener: () => void): { dispose(): void } {
    return this.editorContext.onDidChange(listener);
  }

  runInTerminal(text: string): void {
    void runInTerminal(text).catch(complain);
  }

  get preferred(): Preferred {
    return this.preferences.current;
  }

  onPreferred(listener: () => void): { dispose(): void } {
    return this.preferences.onDidChange(listener);
  }

  prefer(preferred: Preferred): void {
    void this.preferences.prefer(preferred);
  }

  remedy(name: Remedy, argument: string | undefined): void {
    if (name === 'manageTrust') {
      void vscode.commands.executeCommand('workbench.trust.manage');
    } else {
      void vscode.commands.executeCommand(`placet.${name}`, ...(name === 'signIn' && argument ? [argument] : []));
    }
  }
}

async function openText(language: string, content: string): Promise<void> {
  const languages = await vscode.languages.getLanguages();
  const document = await vscode.workspace.openTextDocument({
    content,
    language: languages.includes(language) ? language : 'plaintext',
  });
  await vscode.window.showTextDocument(document, { preview: true });
}

/** Returns the files with the query in their path; with `#`, symbols. */
async function complete(query: string): Promise<Candidate[]> {
  if (query.startsWith('#')) {
    const symbols = await vscode.commands.executeCommand<vscode.SymbolInformation[] | undefined>(
      'vscode.executeWorkspaceSymbolProvider',
      query.slice(1),
    );
    return (symbols ?? []).slice(0, CANDIDATES).map(({ name, location }) => {
      const line = location.range.start.line + 1;
      const detail = `${vscode.workspace.asRelativePath(location.uri)}:${line}`;
      return { kind: 'symbol', label: name, detail, mention: `${nameOf(location.uri)}:${line}` };
    });
  }
  // A glob cannot quote the special characters of globs.
  const plain = query.replace(/[*?[\]{}!\\]/g, '?');
  const uris = await vscode.workspace.findFiles(`**/*${plain}*`, LEFT_OUT, CANDIDATES);
  return uris.map((uri) => {
    const shown = vscode.workspace.asRelativePath(uri);
    return { kind: 'file', label: path.posix.basename(shown), detail: path.posix.dirname(shown), mention: nameOf(uri) };
  });
}

async function save(name: string, text: string): Promise<boolean> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const defaultUri = folder && vscode.Uri.joinPath(folder.uri, name);
  const uri = await vscode.window.showSaveDialog(defaultUri ? { defaultUri } : {});
  if (uri) {
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  }
  return uri !== undefined;
}

/** Limit of a file's size: the model would get a larger file whole, so a larger file is rejected. */
const LARGEST_BYTES = 5 * 1024 * 1024;
const IMAGES: Record<string, string> = {
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.webp': 'image/webp',
};

async function pick(): Promise<Attachment[]> {
  const uris = await vscode.window.showOpenDialog({ canSelectMany: true, openLabel: vscode.l10n.t('Attach') });
  return Promise.all((uris ?? []).map(attachment));
}

async function attachment(uri: vscode.Uri): Promise<Attachment> {
  const name = path.posix.basename(uri.path);
  const mime = IMAGES[path.posix.extname(uri.path).toLowerCase()] ?? 'text/plain';
  if (uri.scheme === 'file' && vscode.workspace.getWorkspaceFolder(uri)) {
    return { type: 'file', uri: uri.toString(), mime, name };
  }
  const bytes = await vscode.workspace.fs.readFile(uri);
  if (bytes.length > LARGEST_BYTES) {
    throw new Error(vscode.l10n.t('{0} is larger than {1} MiB.', name, LARGEST_BYTES >> 20));
  }
  return { type: 'file', uri: `data:${mime};base64,${Buffer.from(bytes).toString('base64')}`, mime, name };
}

function mention(dropped: string): string[] {
  const uri = vscode.Uri.parse(dropped);
  return vscode.workspace.getWorkspaceFolder(uri) ? [nameOf(uri)] : [];
}

/** Returns the URI of a path from the model: absolute, or relative to a folder of the workspace. */
function uriOf(name: string): vscode.Uri {
  if (name.startsWith('file:')) {
    return vscode.Uri.parse(name);
  }
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  return path.isAbsolute(name) || !folder ? vscode.Uri.file(name) : vscode.Uri.joinPath(folder.uri, name);
}
