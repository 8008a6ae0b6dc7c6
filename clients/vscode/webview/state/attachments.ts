/** Attachments of the next prompt, with what the active editor offers. */
import type { Attachment, FileAttachment } from '../../src/chat/messages';
import type { PromptPart } from '../../src/wire';

export class Attachments {
  all: readonly Attachment[] = [];
  /** File and selection of the active editor. */
  #editorFile: FileAttachment | undefined;
  /** Selection that the user has taken off; another selection is offered again. */
  #takenOff: FileAttachment | undefined;
  /** Attachments that going back has put into the composer. */
  #returned: readonly Attachment[] = [];

  constructor(private readonly changed: () => void) {}

  /** Selection of the active editor, which goes along with the next prompt unless the user takes the selection off. */
  get selection(): FileAttachment | undefined {
    const file = this.#editorFile;
    const isOffered = file?.range && !isSame(file, this.#takenOff);
    return isOffered && !this.all.some((other) => isSame(other, file)) ? file : undefined;
  }

  /** File of the active editor without a selection, which the user can add. */
  get offeredFile(): FileAttachment | undefined {
    const file = this.#editorFile;
    const isAdded = this.all.some((other) => other.type === 'file' && other.uri === file?.uri);
    return file && !file.range && !isAdded ? file : undefined;
  }

  takeEditorFile(file: FileAttachment | undefined): void {
    this.#editorFile = file;
  }

  takeOffSelection(): void {
    this.#takenOff = this.#editorFile;
    this.changed();
  }

  add(...attachments: readonly Attachment[]): void {
    this.all = [...this.all, ...attachments];
    this.changed();
  }

  remove(attachment: Attachment): void {
    this.all = this.all.filter((other) => other !== attachment);
    this.changed();
  }

  clear(): void {
    this.all = [];
    this.#returned = [];
  }

  /** Puts the attachments of a prompt before the user's own, in place of those of an earlier act of going back. */
  putForEditing(attachments: readonly Attachment[]): void {
    const own = this.all.filter((attachment) => !this.#returned.includes(attachment));
    this.all = [...attachments, ...own];
    this.#returned = attachments;
  }
}

/** Returns the attachments among the parts of a prompt. */
export function attachmentsIn(parts: readonly PromptPart[]): Attachment[] {
  return parts.filter(isAttachment);
}

function isAttachment(part: PromptPart): part is Attachment {
  return part.type !== 'text';
}

function isSame(one: Attachment | undefined, other: Attachment | undefined): boolean {
  return (
    one?.type === 'file' &&
    other?.type === 'file' &&
    one.uri === other.uri &&
    one.range?.start === other.range?.start &&
    one.range?.end === other.range?.end
  );
}
