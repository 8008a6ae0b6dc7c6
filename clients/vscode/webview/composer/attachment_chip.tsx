/** Chip of a file or an image that will be sent with the prompt. */
import * as l10n from '@vscode/l10n';
import type { Attachment } from '../../src/chat/messages';
import { Icon } from '../icons';
import { lastName } from '../state/names';

export function AttachmentChip({ attachment, onRemove }: { attachment: Attachment; onRemove: () => void }) {
  const lines = attachment.range ? `:${attachment.range.start}-${attachment.range.end}` : '';
  const name = `${attachment.name ?? lastName(attachment.uri)}${lines}`;
  const isImage = attachment.uri.startsWith('data:image/');
  return (
    <span class="chip">
      {isImage ? <img class="thumbnail" src={attachment.uri} alt="" /> : <Icon name="file" />} {name}
      <button type="button" class="quiet" aria-label={l10n.t('Remove {0}', name)} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </span>
  );
}
