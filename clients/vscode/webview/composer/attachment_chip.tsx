/** Chip of a part that will be sent with the prompt: a file, an image, an agent, or diagnostics. */
import * as l10n from '@vscode/l10n';
import type { Attachment } from '../../src/chat/messages';
import { Icon } from '../controls/icons';
import { lastName } from '../state/names';

export function AttachmentChip({ attachment, onRemove }: { attachment: Attachment; onRemove: () => void }) {
  const name = nameOf(attachment);
  const isImage = attachment.type === 'file' && attachment.uri.startsWith('data:image/');
  return (
    <span class="chip">
      {isImage ? <img class="thumbnail" src={attachment.uri} alt="" /> : <Icon name={ICONS[attachment.type]} />}{' '}
      <span class="chip-name">{name}</span>
      <button type="button" class="quiet" aria-label={l10n.t('Remove {0}', name)} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </span>
  );
}

const ICONS = { file: 'file', agent: 'people', diagnostics: 'warning' } as const;

function nameOf(attachment: Attachment): string {
  switch (attachment.type) {
    case 'file': {
      const lines = attachment.range ? `:${attachment.range.start}-${attachment.range.end}` : '';
      return `${attachment.name ?? lastName(attachment.uri)}${lines}`;
    }
    case 'agent':
      return `@${attachment.name}`;
    case 'diagnostics':
      return attachment.uri ? l10n.t('Problems in {0}', lastName(attachment.uri)) : l10n.t('Problems');
  }
}
