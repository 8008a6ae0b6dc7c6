/** The one picker for how much a session may do by itself: how changes are reviewed, and how careful the session is. */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import { type Entry, pick, showInStatusBar } from '../ui/window';
import { cautionChoices } from './caution_choices';
import type { CurrentSession } from './current';
import type { ReviewMode } from './review_mode';
import { reviewModeChoices } from './review_mode_choices';

interface Choice extends Entry {
  /** Name of the review mode or of the care; absent for a title between the groups. */
  name?: string;
  set?: (sessionId: string) => Promise<unknown>;
}

/** Sets the review mode or the care of the session, also within a running turn: the named choice, or a picked choice. */
export async function chooseCare(
  agent: Agent,
  session: CurrentSession,
  mode: ReviewMode,
  named?: string,
): Promise<void> {
  const current = vscode.l10n.t('current');
  const modes: Choice[] = reviewModeChoices().map((choice) => ({
    ...choice,
    name: choice.mode,
    description: choice.mode === mode.current ? current : '',
    set: (sessionId) => mode.set(sessionId, choice.mode),
  }));
  const cautions: Choice[] = cautionChoices().map((choice) => ({
    ...choice,
    icon: 'shield',
    name: choice.caution,
    description: choice.caution === mode.caution ? current : '',
    set: (sessionId) => agent.request('agent/session/setCaution', { sessionId, caution: choice.caution }),
  }));
  const choices: Choice[] = [
    { label: vscode.l10n.t('Edits'), isSeparator: true },
    ...modes,
    { label: vscode.l10n.t('Commands and Web'), isSeparator: true },
    ...cautions,
  ];
  const title = vscode.l10n.t('Select Review Mode and Care');
  const placeHolder = vscode.l10n.t('For this session; a rule that denies always counts');
  const chosen = choices.find(({ name }) => name && name === named) ?? (await pick(choices, { title, placeHolder }));
  if (chosen?.set) {
    await chosen.set(await session.get());
    showInStatusBar(`Placet: ${chosen.label}`, 5000);
  }
}
