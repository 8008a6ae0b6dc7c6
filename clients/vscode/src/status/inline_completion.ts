/** State of the inline completion in the language status, with the reason for silence, and the menu that snoozes. */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import { plain } from '../ui/plain_text';
import { type Entry, pick } from '../ui/window';

const COMMAND = 'placet.inlineCompletion';
const FILES: vscode.DocumentSelector = { scheme: 'file' };
/** Minutes of the snoozes on offer. */
const SNOOZES = [10, 60] as const;
/** Beginning of the state without a model, which a user of no completion does not see. */
const NO_MODEL = 'off: no model';

interface Choice extends Entry {
  act(): Promise<unknown>;
}

export class InlineCompletion implements vscode.Disposable {
  private item: vscode.LanguageStatusItem | undefined;
  private readonly subscriptions: vscode.Disposable;

  constructor(private readonly agent: Agent) {
    this.subscriptions = vscode.Disposable.from(
      agent.onStatus(() => void this.look()),
      vscode.window.onDidChangeActiveTextEditor(() => void this.look()),
    );
  }

  readonly commands = { [COMMAND]: () => this.choose() };

  /** State as the language status shows it; undefined while nothing is shown. */
  get shown(): string | undefined {
    return this.item?.text;
  }

  dispose(): void {
    this.item?.dispose();
    this.subscriptions.dispose();
  }

  /** Shows the present state, if the daemon runs. */
  private async look(): Promise<void> {
    if (this.agent.status.state !== 'ready') {
      this.hide();
      return;
    }
    try {
      this.show((await this.agent.request('agent/inlineCompletion', {})).status);
    } catch {
      this.hide(); // The status bar tells what became of the daemon.
    }
  }

  private show(state: string): void {
    if (state.startsWith(NO_MODEL)) {
      this.hide();
      return;
    }
    this.item ??= vscode.languages.createLanguageStatusItem(COMMAND, FILES);
    this.item.name = vscode.l10n.t('Placet: Inline Completion');
    this.item.text = plain(vscode.l10n.t('Inline completion: {0}', state));
    this.item.command = { command: COMMAND, title: vscode.l10n.t('Change') };
  }

  private hide(): void {
    this.item?.dispose();
    this.item = undefined;
  }

  /** Shows the state and the choices; starts the daemon if needed. */
  private async choose(): Promise<void> {
    const { status } = await this.agent.request('agent/inlineCompletion', {});
    const choices: Choice[] = [
      ...SNOOZES.map((minutes) => ({
        label: vscode.l10n.t('Snooze for {0} Minutes', minutes),
        act: () => this.snooze(minutes),
      })),
      { label: vscode.l10n.t('End the Snooze'), act: () => this.snooze(0) },
      {
        label: vscode.l10n.t('Open Settings'),
        act: async () => vscode.commands.executeCommand('workbench.action.openSettings', 'placet.settings'),
      },
    ];
    const chosen = await pick(choices, {
      title: vscode.l10n.t('Placet: Inline Completion'),
      placeHolder: status,
    });
    await chosen?.act();
  }

  private async snooze(minutes: number): Promise<void> {
    this.show((await this.agent.request('agent/inlineCompletion', { snoozeMinutes: minutes })).status);
  }
}
