/** Picker of an agent or a model. */
import * as l10n from '@vscode/l10n';
import { type Choice, Picker } from '../header/picker';
import type { Store } from '../state/store';

export type AgentOrModel = 'agent' | 'model';

/** Agent and model of the next session, if the user has chosen an agent or a model. */
export interface Chosen {
  agent: string | undefined;
  model: string | undefined;
}

interface Props {
  store: Store;
  kind: AgentOrModel;
  chosen: Chosen;
  onPick: (name: string) => void;
  onClose: () => void;
}

export function AgentOrModelPicker({ store, kind, chosen, onPick, onClose }: Props) {
  const info = store.conversation?.info;
  const current = info?.[kind] ?? chosen[kind];
  const choices = kind === 'agent' ? agents(store, current) : models(store, current);
  return (
    <Picker
      label={kind === 'agent' ? l10n.t('Select agent') : l10n.t('Select model')}
      choices={choices}
      empty={l10n.t('No matches')}
      own={kind === 'model' ? ownModel : undefined}
      side="above"
      onClose={onClose}
      onPick={(choice) => {
        onClose();
        onPick(choice.id);
      }}
    />
  );
}

function agents(store: Store, current: string | undefined): Choice[] {
  return store.lists.agents
    .filter((agent) => agent.mode !== 'subagent')
    .map(({ name, description }) => ({ id: name, label: name, detail: description, isCurrent: name === current }));
}

function models(store: Store, current: string | undefined): Choice[] {
  return store.lists.models.map((model) => ({
    id: model.id,
    label: model.id,
    detail: modelDetail(model.contextSize, model.inputPrice, model.outputPrice),
    isCurrent: model.id === current || (current === undefined && model.default),
  }));
}

/** Returns a typed model as a choice: any model can be used, in the list or not. */
function ownModel(query: string): Choice | undefined {
  const name = query.trim();
  return /^[^\s/]+\/\S+$/.test(name) ? { id: name, label: name, detail: l10n.t('not in the list') } : undefined;
}

function modelDetail(size?: number, input?: number, output?: number): string {
  const details = [
    size === undefined ? '' : l10n.t('{0} tokens', `${Math.round(size / 1000)}k`),
    input === undefined ? '' : l10n.t('{0} in, {1} out per million', `$${input}`, `$${output ?? '?'}`),
  ];
  return details.filter((part) => part !== '').join(', ');
}
