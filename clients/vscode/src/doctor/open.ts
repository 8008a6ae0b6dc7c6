/** Gathers the facts of `Placet: Doctor` and opens them as a document. */
import * as os from 'node:os';
import * as vscode from 'vscode';
import type { Agent } from '../agent';
import { discover } from '../daemon/discovery';
import { type Facts, report } from './report';

export async function openDoctor(agent: Agent, extension: string): Promise<void> {
  const facts: Facts = {
    editor: `${vscode.env.appName} ${vscode.version}`,
    extension,
    node: process.versions.node,
    platform: `${os.platform()} ${os.arch()}`,
    isTrusted: vscode.workspace.isTrusted,
    remote: vscode.env.remoteName,
    folders: (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath || uri.toString()),
    discovery: await discover(),
    status: agent.status,
  };
  try {
    facts.daemon = await agent.request('agent/status', {});
    facts.models = await agent.request('agent/models', { limit: 1000 });
    facts.agents = await agent.request('agent/agents', {});
  } catch {
    // It does not run; `status` says why.
  }
  const text = report({ ...facts, status: agent.status });
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: text });
  await vscode.window.showTextDocument(document, { preview: true });
}
