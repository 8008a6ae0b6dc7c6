/** Moves the chat between the side bars; VS Code keeps the place. */
import * as vscode from 'vscode';

/** Containers of views in package.json, by the side bar. */
const CONTAINERS = { primary: 'placet', secondary: 'placetSecondary' };

export async function moveChatTo(side: keyof typeof CONTAINERS): Promise<void> {
  const destinationId = `workbench.view.extension.${CONTAINERS[side]}`;
  await vscode.commands.executeCommand('vscode.moveViews', { viewIds: ['placet.chat'], destinationId });
  await vscode.commands.executeCommand('placet.chat.focus');
}
