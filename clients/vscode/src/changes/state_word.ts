/** The word for the state of a change, which calls accepted only what the user has accepted. Pure. */
import * as l10n from '@vscode/l10n';
import type { ListedChange } from '../wire';
import type { State } from './change_list';

export function stateWord({ kind, allowedBy }: Pick<ListedChange, 'kind' | 'allowedBy'>, state: State): string {
  switch (state) {
    case 'proposed':
      return l10n.t('proposed');
    case 'dropped':
      return l10n.t('rejected');
    case 'reverted':
      return l10n.t('undone');
    case 'kept':
      if (allowedBy === 'user') {
        return l10n.t('accepted');
      }
      if (allowedBy === 'rule') {
        return l10n.t('written by your rule');
      }
      return kind === 'command' ? l10n.t('written by a command') : l10n.t('written');
  }
}
