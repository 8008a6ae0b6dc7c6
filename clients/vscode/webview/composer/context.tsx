/** Context of the next prompt: the chips of the parts, the selection of the editor, and the button to add more. */
import * as l10n from '@vscode/l10n';
import type { ContextKind } from '../../src/chat/messages';
import { Icon } from '../controls/icons';
import { Picker } from '../controls/picker';
import type { Command } from '../state/commands';
import { request } from '../state/host';
import type { Store } from '../state/store';
import { AttachmentChip } from './attachment_chip';

export function ContextChips({ store, onAdd }: { store: Store; onAdd: () => void }) {
  const { attachments } = store;
  const { selection, offeredFile, all } = attachments;
  return (
    <ul class="chips" aria-label={l10n.t('Attachments')}>
      <li>
        <button
          type="button"
          class="chip quiet"
          aria-haspopup="listbox"
          title={l10n.t('Add Context…')}
          aria-label={l10n.t('Add Context…')}
          onClick={onAdd}
        >
          <Icon name="add" />
        </button>
      </li>
      {selection && (
        <li>
          <AttachmentChip attachment={selection} onRemove={() => attachments.takeOffSelection()} />
        </li>
      )}
      {offeredFile && (
        <li>
          <button
            type="button"
            class="chip offered"
            title={l10n.t('Add Current File to Prompt')}
            onClick={() => attachments.add(offeredFile)}
          >
            <Icon name="file" /> <span class="chip-name">{offeredFile.name}</span>
          </button>
        </li>
      )}
      {all.map((attachment, index) => (
        <li key={index}>
          <AttachmentChip attachment={attachment} onRemove={() => attachments.remove(attachment)} />
        </li>
      ))}
    </ul>
  );
}

type Kind = ContextKind | 'files' | 'project' | 'symbols' | 'page';

interface PickerProps {
  store: Store;
  onClose: () => void;
  /** Writes a text at the caret, and offers what can be completed there. */
  write: (text: string) => void;
  run: (command: Command['name']) => void;
}

export function ContextPicker({ store, onClose, write, run }: PickerProps) {
  const choices: readonly [Kind, string, string][] = [
    ['project', l10n.t('Files and Folders…'), '@'],
    ['symbols', l10n.t('Symbols…'), '@symbol:'],
    ['problems', l10n.t('Problems'), ''],
    ['terminalSelection', l10n.t('Terminal Selection'), ''],
    ['lastCommand', l10n.t('Last Terminal Command'), ''],
    ['gitDiff', l10n.t('Git Diff'), ''],
    ['page', l10n.t('Web Page…'), ''],
    ['files', l10n.t('Files and Images from Disk…'), ''],
  ];
  return (
    <Picker
      label={l10n.t('Add Context')}
      side="above"
      empty={l10n.t('No matches')}
      choices={choices.map(([id, label, detail]) => ({ id, label, detail }))}
      onClose={onClose}
      onPick={({ id }) => {
        onClose();
        void add(id as Kind);
      }}
    />
  );

  async function add(kind: Kind): Promise<void> {
    switch (kind) {
      case 'files':
        return run('attach');
      case 'project':
        return write('@');
      case 'symbols':
        return write('@symbol:');
      case 'page': {
        const address = await request('host/input', { title: l10n.t('Address of the Web Page'), value: 'https://' });
        return address && address !== 'https://' ? write(`${address} `) : undefined;
      }
      default:
        try {
          for (const attachment of await request('host/context', { kind })) {
            store.attachments.add(attachment);
          }
        } catch (error) {
          store.fail(error);
        }
    }
  }
}
