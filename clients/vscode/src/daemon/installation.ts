/** Installs the daemon in a visible terminal, and starts the daemon after success. */
import * as vscode from 'vscode';
import { fail, showInStatusBar } from '../ui/window';
import { INSTALLERS, type Installer } from './installers';
import { which } from './which';

/** Runs the installer as a task in a terminal of its own; calls `start` after success. */
export async function install(start: () => Promise<unknown>): Promise<void> {
  const chosen = await firstThere();
  if (!chosen) {
    const how = vscode.l10n.t('How to Install uv');
    const message = vscode.l10n.t('The installation of Placet needs uv or pipx on PATH.');
    if ((await fail(`Placet: ${message}`, how)) === how) {
      await vscode.env.openExternal(vscode.Uri.parse('https://docs.astral.sh/uv/getting-started/installation/'));
    }
    return;
  }
  const execution = new vscode.ShellExecution(chosen.program, [...chosen.parameters]);
  const task = new vscode.Task(
    { type: 'shell' },
    vscode.TaskScope.Global,
    vscode.l10n.t('install'),
    'Placet',
    execution,
  );
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, focus: false, showReuseMessage: false };
  const running = await vscode.tasks.executeTask(task);
  const code = await new Promise<number | undefined>((resolve) => {
    const ending = vscode.tasks.onDidEndTaskProcess((event) => {
      if (event.execution === running) {
        ending.dispose();
        resolve(event.exitCode);
      }
    });
  });
  if (code === 0) {
    await start();
    showInStatusBar(vscode.l10n.t('Placet is installed and running'), 5000);
  } else {
    throw new Error(vscode.l10n.t('The installation failed. See the terminal for the reason.'));
  }
}

async function firstThere(): Promise<Installer | undefined> {
  for (const installer of INSTALLERS) {
    if (await which(installer.program)) {
      return installer;
    }
  }
  return undefined;
}
