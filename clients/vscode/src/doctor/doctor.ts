/** Collects the facts of `Placet: Doctor` and opens the facts as a page. */
import { randomBytes } from 'node:crypto';
import * as os from 'node:os';
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import { discover } from '../daemon/discovery';
import { which } from '../daemon/which';
import { tickInstallation } from '../status/milestones';
import { showInStatusBar } from '../ui/window';
import { LINKED_COMMANDS } from './links';
import { pageOf } from './page';
import { type Facts, markdown, report, type Section } from './report';

const COPY = 'placet.copyDoctorReport';

/** Page of the doctor: a tab of the editor, written anew by each opening. */
export class Doctor implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private sections: readonly Section[] = [];
  private readonly copying = vscode.commands.registerCommand(COPY, () => this.copy());

  constructor(
    private readonly agent: Agent,
    private readonly extension: string,
  ) {}

  /** Returns the report on the page, as Markdown. */
  get text(): string {
    return markdown(this.sections);
  }

  dispose(): void {
    this.copying.dispose();
    this.panel?.dispose();
  }

  /** Collects and shows all facts: the editor's facts at once, the daemon's facts when a daemon runs. */
  async open(): Promise<void> {
    const facts = await editorFacts(this.agent, this.extension);
    this.show(facts);
    this.panel?.reveal();
    await ask(this.agent, facts);
    if (this.panel) {
      this.show({ ...facts, status: this.agent.status });
    }
    if (facts.daemon) {
      await tickInstallation();
    }
  }

  private show(facts: Facts): void {
    const panel = this.panel ?? this.create();
    this.sections = report(facts);
    panel.webview.html = pageOf(
      this.sections,
      {
        fileAddress: (path) => commandAddress('vscode.open', vscode.Uri.file(path)),
        copyAddress: commandAddress(COPY),
      },
      vscode.env.language,
      randomBytes(16).toString('hex'),
    );
  }

  private create(): vscode.WebviewPanel {
    const panel = vscode.window.createWebviewPanel('placet.doctor', 'Placet: Doctor', vscode.ViewColumn.Active, {
      enableCommandUris: [...LINKED_COMMANDS, 'vscode.open', COPY],
      enableFindWidget: true,
      localResourceRoots: [],
    });
    panel.onDidDispose(() => {
      this.panel = undefined;
    });
    this.panel = panel;
    return panel;
  }

  private async copy(): Promise<void> {
    await vscode.env.clipboard.writeText(this.text);
    showInStatusBar(vscode.l10n.t('The report is copied'), 3000);
  }
}

function commandAddress(command: string, ...given: unknown[]): string {
  return `command:${command}${given.length > 0 ? `?${encodeURIComponent(JSON.stringify(given))}` : ''}`;
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
