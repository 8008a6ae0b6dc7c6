/** Files and images that are dropped or pasted, as parts of a prompt. */
import type { Attachment } from '../src/chat/messages';

/** Larger ones are refused: they would go to the model whole. */
export const LARGEST_BYTES = 5 * 1024 * 1024;

/** The file's content as a part. Rejects with words for the user. */
export async function attachmentOf(file: File): Promise<Attachment> {
  if (file.size > LARGEST_BYTES) {
    throw new Error(
      `${file.name} is larger than ${LARGEST_BYTES >> 20} MiB. Name it with @ instead, if it is in the project.`,
    );
  }
  const mime = file.type || 'text/plain';
  const uri = await dataUri(file, mime);
  return { type: 'file', uri, mime, name: file.name || 'pasted' };
}

function dataUri(file: File, mime: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(`data:${mime};base64,${String(reader.result).split(',', 2)[1] ?? ''}`);
    reader.onerror = () => reject(new Error(`${file.name} cannot be read.`));
    reader.readAsDataURL(file);
  });
}

/** What was dropped as addresses, as an editor's explorer does it. */
export function droppedUris(data: DataTransfer): string[] {
  const written = data.getData('application/vnd.code.uri-list') || data.getData('text/uri-list');
  return written.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'));
}
