/**
 * Watches the folders, trust and settings of the window. The daemon reads the settings once, so a change needs a
 * restart.
 */
import * as vscode from 'vscode';
import type { Daemon } from './daemon';
import { IdleRestart } from './idle_restart';
import { LISTED_SETTINGS } from './listed_settings';

const SETTINGS = ['command', 'settings', 'model', 'agent', ...LISTED_SETTINGS].map((name) => `placet.${name}`);

export function followWindow(daemon: Daemon): vscode.Disposable {
  const idleRestart = new IdleRestart(daemon);
  return vscode.Disposable.from(
    idleRestart,
    // The daemon gets the new folders at once, and uses the folders for its sessions from the next start on.
    vscode.workspace.onDidChangeWorkspaceFolders(() =>
      idleRestart.restartWhenIdle(vscode.l10n.t('folders have changed; Placet restarts after the turn')),
    ),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (SETTINGS.some((name) => change.affectsConfiguration(name))) {
        idleRestart.restartWhenIdle(vscode.l10n.t('settings have changed; Placet restarts after the turn'));
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
