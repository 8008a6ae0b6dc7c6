/** Files and images that are dropped or pasted, as parts of a prompt or as mentions in it. */
import * as l10n from '@vscode/l10n';
import type { Attachment } from '../../src/chat/messages';
import { request } from '../state/host';
import { mentionOf } from './mention';

/** Larger ones are refused: they would go to the model whole. */
const LARGEST_BYTES = 5 * 1024 * 1024;

/** What came of a drop or a paste. */
export interface Taken {
  attachments: readonly Attachment[];
  /** Files of the project, as they are written into a prompt. */
  mentions: string;
  /** Why something was not taken, for the user. */
  problems: readonly string[];
}

/** What was dropped: files of the project become mentions, all else goes along with its content. */
export async function takeDropped(data: DataTransfer): Promise<Taken> {
  const uris = droppedUris(data);
  const files = [...data.files]; // To be read before the first await, as it is empty afterwards.
  const mentions = uris.length > 0 ? await request('host/mentions', { uris }) : [];
  const written = mentions.map((mention) => `${mentionOf(mention)} `).join('');
  if (uris.length > 0 && mentions.length === uris.length) {
    return { attachments: [], mentions: written, problems: [] };
  }
  return { ...(await takeFiles(files)), mentions: written };
}

/** Files with their contents. */
export async function takeFiles(files: readonly File[]): Promise<Taken> {
  const read = await Promise.allSettled(files.map(attachmentOf));
  return {
    attachments: read.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : [])),
    mentions: '',
    problems: read.flatMap((outcome) =>
      outcome.status === 'rejected' ? [String((outcome.reason as Error).message)] : [],
    ),
  };
}

async function attachmentOf(file: File): Promise<Attachment> {
  if (file.size > LARGEST_BYTES) {
    throw new Error(
      l10n.t(
        '{0} is larger than {1} MiB. Name it with @ instead, if it is in the project.',
        file.name,
        LARGEST_BYTES >> 20,
      ),
    );
  }
  const mime = file.type || 'text/plain';
  const uri = await dataUri(file, mime);
  return { type: 'file', uri, mime, name: file.name || l10n.t('pasted') };
}

function dataUri(file: File, mime: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(`data:${mime};base64,${String(reader.result).split(',', 2)[1] ?? ''}`);
    reader.onerror = () => reject(new Error(l10n.t('{0} cannot be read.', file.name)));
    reader.readAsDataURL(file);
  });
}

/** What was dropped as addresses, as an editor's explorer does it. */
function droppedUris(data: DataTransfer): string[] {
  const written = data.getData('application/vnd.code.uri-list') || data.getData('text/uri-list');
  return written.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'));
}
