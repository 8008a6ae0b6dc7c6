/** Installs the daemon in a visible terminal, and starts the daemon after success. */
import * as vscode from 'vscode';
import { fail, showInStatusBar } from '../ui/window';
import { INSTALLERS, type Installer } from './installers';
import { which } from './which';

/** Runs the installer as a task in a terminal of its own; calls `start` after success. */
export async function install(start: () => Promise<unknown>): Promise<void> {
  const installer = await firstThere();
  if (!installer) {
    const how = vscode.l10n.t('How to Install uv');
    const message = vscode.l10n.t('The installation of Placet needs uv or pipx on PATH.');
    if ((await fail(`Placet: ${message}`, how)) === how) {
      await vscode.env.openExternal(vscode.Uri.parse('https://docs.astral.sh/uv/getting-started/installation/'));
    }
    return;
  }
  await run(installer, 'placet', start);
}

/** Installs a package by its name, or a wheel by its path; offers a wheel where the package index does not help. */
async function run(installer: Installer, what: string, start: () => Promise<unknown>): Promise<void> {
  if ((await exitCode(installer, what)) === 0) {
    await start();
    showInStatusBar(vscode.l10n.t('Placet is installed and running'), 5000);
    return;
  }
  const choose = vscode.l10n.t('Install from File…');
  const setCommand = vscode.l10n.t('Set Command');
  const message = vscode.l10n.t(
    'The installation failed; the terminal shows the reason. Without a package index, install a wheel of Placet from a file, or set the command of an installed Placet.',
  );
  switch (await fail(`Placet: ${message}`, choose, setCommand)) {
    case choose: {
      const filters = { [vscode.l10n.t('Python wheel')]: ['whl'] };
      const [wheel] = (await vscode.window.showOpenDialog({ filters, openLabel: vscode.l10n.t('Install') })) ?? [];
      return wheel && run(installer, wheel.fsPath, start);
    }
    case setCommand:
      await vscode.commands.executeCommand('workbench.action.openSettings', 'placet.command');
  }
}

async function exitCode({ program, parameters }: Installer, what: string): Promise<number | undefined> {
  const execution = new vscode.ShellExecution(program, [...parameters, what]);
  const name = vscode.l10n.t('install');
  const task = new vscode.Task({ type: 'shell' }, vscode.TaskScope.Global, name, 'Placet', execution);
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, focus: false, showReuseMessage: false };
  const running = await vscode.tasks.executeTask(task);
  return new Promise((resolve) => {
    const ending = vscode.tasks.onDidEndTaskProcess((event) => {
      if (event.execution === running) {
        ending.dispose();
        resolve(event.exitCode);
      }
    });
  });
}

async function firstThere(): Promise<Installer | undefined> {
  for (const installer of INSTALLERS) {
    if (await which(installer.program)) {
      return installer;
    }
  }
  return undefined;
}
