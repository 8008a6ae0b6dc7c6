/** Implements `Placet: List MCP Servers`: shows the state of each server and offers actions, by pickers of VS Code. */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import { inform, pick, progress } from '../ui/window';
import type { McpServerInfo } from '../wire';
import { actionsOf, listedServer, problemText, type ServerAct } from './server_list';

const HELP = 'https://modelcontextprotocol.io';

/** Shows the list again after each action, until the user closes the list. Rejects with a message for the user. */
export async function mcpServers(agent: Agent): Promise<void> {
  let { servers } = await agent.request('agent/mcp', {});
  while (servers.length > 0) {
    const chosen = await pick(servers.map(listedServer), {
      title: vscode.l10n.t('MCP Servers'),
      placeHolder: vscode.l10n.t('Servers configured under “mcp” in placet.json'),
      matchOnDescription: true,
    });
    if (!chosen) {
      return;
    }
    const { server } = chosen;
    const choice = await pick(actionsOf(server), { title: server.name });
    if (choice?.action === 'trouble') {
      return showProblem(server);
    }
    if (choice) {
      servers = (await done(agent, choice.action, server.name, choice.label)).servers;
    }
  }
  const about = vscode.l10n.t('What Is MCP?');
  const message = vscode.l10n.t(
    'No MCP server is configured. Add a server under “mcp” in placet.json, or in the setting placet.settings.',
  );
  if ((await inform(`Placet: ${message}`, about)) === about) {
    await vscode.env.openExternal(vscode.Uri.parse(HELP));
  }
}

/** Runs an action. A login and values take as long as the user needs; the user can cancel. */
function done(agent: Agent, action: ServerAct, server: string, label: string) {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: `Placet: ${server}: ${label}`,
    cancellable: true,
  };
  return progress(options, async (_, token) => {
    try {
      return await agent.request('agent/mcp', { action, server }, token);
    } catch (error) {
      if (!token.isCancellationRequested) {
        throw error;
      }
      return agent.request('agent/mcp', {});
    }
  });
}

async function showProblem(server: McpServerInfo): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ content: problemText(server), language: 'markdown' });
  await vscode.window.showTextDocument(document, { preview: true });
}
