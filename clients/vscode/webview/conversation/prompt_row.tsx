/**
 * Prompt in the conversation: the text of the user, the attachments, and the buttons to go back to the prompt, and to
 * edit and send the prompt again in a copy of the session.
 */
import * as l10n from '@vscode/l10n';
import type { FilePart, UserMessage } from '../../src/wire';
import { Icon } from '../controls/icons';
import { post } from '../state/host';
import { lastName, textOf } from '../state/names';
import type { Store } from '../state/store';

export function PromptRow({ store, message }: { store: Store; message: UserMessage }) {
  const text = textOf(message.parts);
  const files = message.parts.filter((part): part is FilePart => part.type === 'file');
  return (
    <section class="prompt" aria-label={l10n.t('You')}>
      <div class="prompt-text">{text}</div>
      {files.length > 0 && (
        <ul class="chips">
          {files.map((file) => (
            <li key={file.id}>
              <FileChip file={file} />
            </li>
          ))}
        </ul>
      )}
      <div class="prompt-foot">
        {message.steers !== undefined ? (
          <span class="hint">{l10n.t('added to the running turn')}</span>
        ) : (
          <>
            {store.conversation?.info.parentId === undefined && (
              <button
                type="button"
                class="quiet"
                title={l10n.t('Shows first what would change, in talk and files')}
                aria-label={l10n.t('Go Back to Here: {0}', text)}
                onClick={() => store.offerWayBack(message.id)}
              >
                <Icon name="undo" /> {l10n.t('Go Back to Here')}
              </button>
            )}
            <button
              type="button"
              class="quiet"
              title={l10n.t('Edit and resend in a copy of the session up to this prompt; this session stays unchanged')}
              aria-label={l10n.t('Edit and Resend')}
              onClick={() => store.rewrite(message.id, [{ type: 'text', text }, ...files.map(asSent)])}
            >
              <Icon name="edit" />
            </button>
          </>
        )}
      </div>
    </section>
  );
}

/** Returns the file without the part id of the session. */
function asSent({ id: _, ...file }: FilePart): Omit<FilePart, 'id'> {
  return file;
}

function FileChip({ file }: { file: FilePart }) {
  if (/^data:image\/(?:png|jpeg|gif|webp);base64,/.test(file.uri)) {
    return <img class="thumbnail" src={file.uri} alt={file.name ?? l10n.t('Attached image')} />;
  }
  const lines = file.range ? `:${file.range.start}-${file.range.end}` : '';
  const name = `${file.name ?? lastName(file.uri)}${lines}`;
  return file.uri.startsWith('file:') ? (
    <button
      type="button"
      class="chip"
      onClick={() => post({ type: 'openFile', path: file.uri, line: file.range?.start })}
    >
      <Icon name="file" /> {name}
    </button>
  ) : (
    <span class="chip">
      <Icon name="file" /> {name}
    </span>
  );
}
