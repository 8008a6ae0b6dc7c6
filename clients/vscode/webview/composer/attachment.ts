/** Turns dropped or pasted files and images into parts of a prompt, or into mentions in the prompt. */
import * as l10n from '@vscode/l10n';
import type { Attachment } from '../../src/chat/messages';
import { request } from '../state/host';
import { mentionOf } from './mention';

/** Limit of a file's size: the model would get a larger file whole, so a larger file is rejected. */
const LARGEST_BYTES = 5 * 1024 * 1024;

/** Result of a drop or a paste. */
export interface Taken {
  attachments: readonly Attachment[];
  /** Mentions of project files, as a prompt contains mentions. */
  mentions: string;
  /** Reasons for files that were not taken, for the user. */
  problems: readonly string[];
}

/** Takes a drop: files of the project become mentions, other files become attachments with content. */
export async function takeDropped(data: DataTransfer): Promise<Taken> {
  const uris = droppedUris(data);
  const files = [...data.files]; // Read before the first await, since the list is empty afterwards.
  const mentions = uris.length > 0 ? await request('host/mentions', { uris }) : [];
  const written = mentions.map((mention) => `${mentionOf(mention)} `).join('');
  if (uris.length > 0 && mentions.length === uris.length) {
    return { attachments: [], mentions: written, problems: [] };
  }
  return { ...(await takeFiles(files)), mentions: written };
}

/** Takes files with their contents. */
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
        '{0} is larger than {1} MiB. Mention a file of the project with @ instead.',
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

/** Returns the dropped URIs, which an editor's explorer provides. */
function droppedUris(data: DataTransfer): string[] {
  const written = data.getData('application/vnd.code.uri-list') || data.getData('text/uri-list');
  return written.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'));
}
