/** Applies LSP edits to texts of the editor, and computes their SHA-256. */
import { createHash } from 'node:crypto';

export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

export interface TextEdit {
  range: Range;
  newText: string;
}

/** Returns the SHA-256 of the text in UTF-8, as hex. A lone surrogate counts as U+FFFD, as on the disk. */
export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/**
 * Returns the text with `edits` applied; the positions of edits are in UTF-16 units. Throws RangeError when two edits
 * overlap.
 */
export function withEdits(text: string, edits: readonly TextEdit[]): string {
  const starts = lineStarts(text);
  const spans = edits.map((edit, order) => ({
    start: offsetAt(text, starts, edit.range.start),
    end: offsetAt(text, starts, edit.range.end),
    newText: edit.newText,
    order,
  }));
  // Inserts at the same place keep their order (LSP 3.17, TextEdit[]).
  spans.sort((span, other) => span.start - other.start || span.end - other.end || span.order - other.order);
  const pieces: string[] = [];
  let done = 0;
  for (const span of spans) {
    if (span.start < done || span.end < span.start) {
      throw new RangeError('edits overlap');
    }
    pieces.push(text.slice(done, span.start), span.newText);
    done = span.end;
  }
  pieces.push(text.slice(done));
  return pieces.join('');
}

/** Returns the start of each line; `\n`, `\\r\n` and a lone `\\r` end a line (LSP 3.17, Text Documents). */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === 13 && text.charCodeAt(index + 1) === 10) {
      index++;
    }
    if (unit === 13 || unit === 10) {
      starts.push(index + 1);
    }
  }
  return starts;
}

/**
 * Returns an offset. A position beyond the line counts as the end of the line, and beyond the text as the end of the
 * text.
 */
function offsetAt(text: string, starts: readonly number[], position: Position): number {
  const start = starts[position.line];
  if (start === undefined) {
    return text.length;
  }
  let end = starts[position.line + 1] ?? text.length;
  while (end > start && /[\r\n]/.test(text.charAt(end - 1))) {
    end--;
  }
  return Math.min(start + position.character, end);
}
