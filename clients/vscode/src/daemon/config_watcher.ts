/** What the window is opened on, and whether it is trusted: changes reach the daemon by a restart, as it reads them once. */
import * as vscode from 'vscode';
import type { Daemon } from './daemon';
import { IdleRestart } from './idle_restart';

const SETTINGS = ['placet.command', 'placet.settings', 'placet.model', 'placet.agent'];

export function followWindow(daemon: Daemon): vscode.Disposable {
  const idleRestart = new IdleRestart(daemon);
  return vscode.Disposable.from(
    idleRestart,
    // The daemon is told at once, and takes the new folders for its sessions from the next start on.
    vscode.workspace.onDidChangeWorkspaceFolders(() =>
      idleRestart.restartWhenIdle(vscode.l10n.t('the folders have changed; it takes them up when the turn has ended')),
    ),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (SETTINGS.some((name) => change.affectsConfiguration(name))) {
        idleRestart.restartWhenIdle(
          vscode.l10n.t('its settings have changed; it takes them up when the turn has ended'),
        );
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      if (daemon.status.state === 'ready') {
        daemon.notify('agent/didChangeTrust', { trusted: true });
      } else {
        void daemon.startAgain().catch(() => undefined);
      }
    }),
  );
}
