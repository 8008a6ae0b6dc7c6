/** The one status bar item. */
import * as vscode from 'vscode';
import type { Agent, Status } from '../agent';
import { shown } from './fold';

export function statusBar(agent: Agent): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('placet.status', vscode.StatusBarAlignment.Left);
  item.name = 'Placet';
  const draw = (status: Status) => {
    const { text, tooltip, command, isWarning } = shown(status);
    item.text = text;
    item.tooltip = tooltip;
    item.command = command;
    item.backgroundColor = isWarning ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    item.accessibilityInformation = { label: tooltip };
  };
  draw(agent.status);
  item.show();
  return vscode.Disposable.from(item, agent.onStatus(draw));
}
