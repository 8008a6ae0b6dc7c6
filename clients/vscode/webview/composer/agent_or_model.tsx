/** Choices of agents and models, for a picker. */
import * as l10n from '@vscode/l10n';
import type { ModelInfo } from '../../src/wire';
import type { Choice } from '../controls/picker';
import type { Store } from '../state/store';

export function agents(store: Store, current: string | undefined): Choice[] {
  return store.lists.agents
    .filter((agent) => agent.mode !== 'subagent')
    .map(({ name, description }) => ({ id: name, label: name, detail: description, isCurrent: name === current }));
}

export function models(store: Store, current: string | undefined): Choice[] {
  return store.lists.models.map((model) => ({
    id: model.id,
    label: model.id,
    detail: modelDetail(model),
    isCurrent: model.id === current || (current === undefined && model.default),
  }));
}

/** Returns a typed model as a choice: any model can be used, in the list or not. */
export function ownModel(query: string): Choice | undefined {
  const name = query.trim();
  return /^[^\s/]+\/\S+$/.test(name) ? { id: name, label: name, detail: l10n.t('not in the list') } : undefined;
}

function modelDetail({ contextSize: size, inputPrice: input, outputPrice: output, ...model }: ModelInfo): string {
  const price = input === undefined ? '' : l10n.t('{0} in, {1} out per million', `$${input}`, `$${output ?? '?'}`);
  const details = [
    model.favourite ? l10n.t('favourite') : model.recent ? l10n.t('recent') : '',
    size === undefined ? '' : l10n.t('{0} tokens', `${Math.round(size / 1000)}k`),
    model.subscription ? l10n.t('covered by the subscription') : price,
  ];
  return details.filter((part) => part !== '').join(', ');
}
