/** Collects the facts of `Placet: Doctor` and opens the facts as a document. */
import * as os from 'node:os';
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import { discover } from '../daemon/discovery';
import { which } from '../daemon/which';
import { tickInstallation } from '../status/milestones';
import { linksIn } from './links';
import { type Facts, report } from './report';

const PAGE = vscode.Uri.parse('placet-doctor:/Placet Doctor.md');

/** Page of the doctor: a document that asks for no saving. */
export class Doctor implements vscode.TextDocumentContentProvider, vscode.DocumentLinkProvider, vscode.Disposable {
  private text = '';
  private readonly changes = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changes.event;
  private readonly registrations = [
    vscode.workspace.registerTextDocumentContentProvider(PAGE.scheme, this),
    vscode.languages.registerDocumentLinkProvider({ scheme: PAGE.scheme }, this),
  ];

  constructor(
    private readonly agent: Agent,
    private readonly extension: string,
  ) {}

  provideTextDocumentContent(): string {
    return this.text;
  }

  /** Returns links to the commands, settings and files that the page names. */
  provideDocumentLinks(document: vscode.TextDocument): vscode.DocumentLink[] {
    return linksIn(document.getText()).map(({ start, end, target, tooltip }) => {
      const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
      const uri = target.startsWith('command:') ? vscode.Uri.parse(target) : vscode.Uri.file(target);
      const link = new vscode.DocumentLink(range, uri);
      link.tooltip = tooltip;
      return link;
    });
  }

  dispose(): void {
    vscode.Disposable.from(...this.registrations, this.changes).dispose();
  }

  /** Collects and shows all facts: the editor's facts at once, the daemon's facts when a daemon runs. */
  async open(): Promise<void> {
    const facts = await editorFacts(this.agent, this.extension);
    await this.write(report(facts));
    // The page must not replace the walkthrough that opened the page.
    await vscode.window.showTextDocument(PAGE, { preview: false });
    await ask(this.agent, facts);
    await this.write(report({ ...facts, status: this.agent.status }));
    if (facts.daemon) {
      await tickInstallation();
    }
  }

  private async write(text: string): Promise<void> {
    this.text = text;
    const document = await vscode.workspace.openTextDocument(PAGE);
    if (document.getText() === text) {
      return;
    }
    await new Promise<void>((resolve) => {
      const listening = vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.document === document) {
          listening.dispose();
          resolve();
        }
      });
      this.changes.fire(PAGE);
    });
  }
}

async function editorFacts(agent: Agent, extension: string): Promise<Facts> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const start = performance.now();
  const discovery = await discover();
  return {
    editor: `${vscode.env.appName} ${vscode.version}`,
    extension,
    node: process.versions.node,
    platform: `${os.platform()} ${os.arch()}`,
    isTrusted: vscode.workspace.isTrusted,
    remote: vscode.env.remoteName,
    folders: folders.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath),
    virtualFolders: folders.filter(({ uri }) => uri.scheme !== 'file').map(({ uri }) => uri.toString()),
    discovery,
    discoveryMilliseconds: performance.now() - start,
    status: agent.status,
    programs: await programs(),
    offers: [
      typeof vscode.chat?.createChatParticipant === 'function'
        ? vscode.l10n.t("@placet is available in the editor's chat")
        : vscode.l10n.t('this editor has no chat for @placet'),
    ],
  };
}

async function ask(agent: Agent, facts: Facts): Promise<void> {
  try {
    facts.daemon = await agent.request('agent/status', {});
    facts.models = await agent.request('agent/models', { limit: 1000 });
    facts.agents = await agent.request('agent/agents', {});
    facts.permissions = await agent.request('agent/permission/rules', {});
  } catch {
    // The daemon is not running, or too old for the request; `status` names the reason.
  }
}

async function programs(): Promise<Facts['programs']> {
  const checked = [
    { name: 'git', use: vscode.l10n.t('for commit messages; undo does not need git') },
    { name: 'uv', use: vscode.l10n.t('installs Placet') },
    ...(process.platform === 'linux'
      ? [{ name: 'notify-send', use: vscode.l10n.t('desktop notifications while no window has the focus') }]
      : []),
  ];
  return Promise.all(checked.map(async (program) => ({ ...program, path: await which(program.name) })));
}
