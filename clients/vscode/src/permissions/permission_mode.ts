/** Picker of the permission mode, in three plain choices; the choice is written into the user's settings. */
import * as vscode from 'vscode';
import { pick } from '../ui/window';
import { currentPermissionMode, permissionModeChoices, withPermissionMode } from './permission_mode_choices';

export async function choosePermissionMode(): Promise<void> {
  const configuration = vscode.workspace.getConfiguration('placet');
  const settings = configuration.inspect<Record<string, unknown>>('settings')?.globalValue ?? {};
  const current = currentPermissionMode(settings, configuration.inspect<string>('agent')?.globalValue ?? '');
  const items = permissionModeChoices().map((choice) => ({
    ...choice,
    description: choice.mode === current ? vscode.l10n.t('current') : '',
  }));
  const chosen = await pick(items, { title: vscode.l10n.t('Select Permission Mode') });
  if (!chosen) {
    return;
  }
  const next = withPermissionMode(settings, chosen.mode);
  await configuration.update('settings', next.settings, vscode.ConfigurationTarget.Global);
  await configuration.update('agent', next.agent || undefined, vscode.ConfigurationTarget.Global);
}
