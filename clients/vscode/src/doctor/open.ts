/** Gathers the facts of `Placet: Doctor` and opens them as a document. */
import * as os from 'node:os';
import * as vscode from 'vscode';
import type { Agent } from '../agent';
import { discover } from '../daemon/discovery';
import { which } from '../daemon/which';
import { type Facts, report } from './report';

export async function openDoctor(agent: Agent, extension: string): Promise<void> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const start = performance.now();
  const discovery = await discover();
  const facts: Facts = {
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
        ? vscode.l10n.t("@placet is there for the editor's own chat")
        : vscode.l10n.t('this editor has no chat of its own for @placet'),
    ],
  };
  try {
    facts.daemon = await agent.request('agent/status', {});
    facts.models = await agent.request('agent/models', { limit: 1000 });
    facts.agents = await agent.request('agent/agents', {});
    facts.permissions = await agent.request('agent/permission/rules', {});
  } catch {
    // It does not run, or is too old for the question; `status` says why.
  }
  const text = report({ ...facts, status: agent.status });
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: text });
  await vscode.window.showTextDocument(document, { preview: true });
}

async function programs(): Promise<Facts['programs']> {
  const known = [
    { name: 'git', use: vscode.l10n.t("commit messages; Placet's own undo needs none") },
    { name: 'uv', use: vscode.l10n.t('installs Placet') },
    ...(process.platform === 'linux'
      ? [{ name: 'notify-send', use: vscode.l10n.t('notifications of the desktop while no window has the focus') }]
      : []),
  ];
  return Promise.all(known.map(async (one) => ({ ...one, path: await which(one.name) })));
}
