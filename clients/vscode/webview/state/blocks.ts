/** Splits a growing Markdown text into blocks of bounded size. Blocks before the last one never change again. */
import MarkdownIt from 'markdown-it';

export interface Block {
  /** `plain` is a piece of a line that is too long to be parsed. */
  kind: 'markdown' | 'code' | 'plain';
  /** Text of the block; a code block has no fence here. */
  text: string;
  language: string;
  /** True if this code block continues the code block before. */
  goesOn: boolean;
  /** True if the text of the block may still grow. */
  isOpen: boolean;
}

/** Limits of a block in characters and lines. A longer block is cut, at the end of a line if possible. */
export const LONGEST_BLOCK = 4_000;
export const MOST_LINES = 60;
/**
 * Limits of the text that is parsed at once, in characters and lines: enough to see that a block is cut, or where the
 * next block begins. The rest of a cut block is parsed again; with more text at once a long list took quadratic time.
 */
const WINDOW = 3 * LONGEST_BLOCK;
const WINDOW_LINES = MOST_LINES + 1;

interface Span {
  type: 'fence' | 'table' | 'other';
  /** Offsets of the begin of the block and of the end of the first line in the source (-1: not known yet). */
  start: number;
  firstLineEnd: number;
  /** Text that every piece of the block needs above: the fence, or the head of the table. */
  head: string;
  language: string;
  content: string;
  isClosed: boolean;
}

const parser = new MarkdownIt('commonmark', { html: false }).enable(['table', 'strikethrough']);

/** Reads one text. Each call passes the whole text; the reader parses only new text and the last block. */
export class BlockReader {
  #settled: Block[] = [];
  #tail: Block[] = [];
  #text = '';
  /** Offset of the first block that is not settled. */
  #at = 0;
  /** Head of the rest of the code block or table that was cut at `#at`, with the end of the line. */
  #head = '';

  read(text: string): readonly Block[] {
    if (text !== this.#text) {
      if (!text.startsWith(this.#text)) {
        this.#settled = [];
        this.#at = 0;
        this.#head = '';
      }
      this.#text = text;
      this.#tail = [];
      while (this.#settleSome(text)) {
        // Each pass settles one window.
      }
    }
    return this.#tail.length > 0 ? [...this.#settled, ...this.#tail] : this.#settled;
  }

  /** Settles the complete blocks of the next window. Returns false when the whole text has been read. */
  #settleSome(text: string): boolean {
    const window = firstLines(text.slice(this.#at, this.#at + WINDOW), 0, WINDOW_LINES);
    const isRest = this.#at + window.length === text.length;
    if (this.#head === '') {
      const blank = /^(?:[ \t]*\n)+/.exec(window)?.[0].length ?? 0;
      if (blank > 0) {
        this.#at += blank;
        return true;
      }
    }
    const head = this.#head;
    const source = head + window;
    const spans = topSpans(source);
    const begin = this.#at - head.length;
    let settled = 0;
    for (const [index, span] of spans.entries()) {
      const next = spans[index + 1];
      const start = Math.max(span.start, head.length);
      const end = next?.start ?? source.length;
      const raw = source.slice(start, end);
      const limit = limitOf(raw);
      if (raw.length > limit) {
        this.#cut(raw, limit, span, begin + start);
        return true;
      }
      const isNextCertain = next && (next.firstLineEnd >= 0 || source.length - next.start > LONGEST_BLOCK);
      if (!isNextCertain) {
        if (!isRest && settled > 0) {
          return true;
        }
        this.#tail = [
          this.#block(raw, span, true),
          ...(next ? [this.#block(source.slice(next.start), next, true)] : []),
        ];
        return false;
      }
      this.#settled.push(this.#block(raw, span, false));
      this.#head = '';
      this.#at = begin + end;
      settled++;
    }
    return false;
  }

  /** Settles the first part of a block that is too long. */
  #cut(raw: string, limit: number, span: Span, at: number): void {
    const isFirst = this.#head === '';
    const head = span.type !== 'other' && span.head.length < limit / 2 ? span.head : '';
    const lineEnd = bestLineEnd(raw, limit);
    const end = lineEnd > (isFirst ? head.length : 0) ? lineEnd : wholeCharacters(raw, limit);
    const piece = raw.slice(0, end);
    if (head !== '' && span.type === 'fence') {
      const text = isFirst ? piece.slice(head.length) : piece;
      this.#settled.push({ kind: 'code', text, language: span.language, goesOn: !isFirst, isOpen: false });
    } else {
      const kind = lineEnd > 0 ? 'markdown' : 'plain';
      const text = isFirst || kind === 'plain' ? piece : this.#head + piece;
      this.#settled.push({ kind, text, language: '', goesOn: false, isOpen: false });
    }
    this.#head = head;
    this.#at = at + end;
  }

  #block(raw: string, span: Span, isLast: boolean): Block {
    const goesOn = this.#head !== '' && span.start === 0;
    if (span.type !== 'fence') {
      const text = (goesOn ? this.#head : '') + raw.trimEnd();
      return { kind: 'markdown', text, language: '', goesOn: false, isOpen: isLast };
    }
    const { content, language, isClosed } = span;
    return { kind: 'code', text: content, language, goesOn, isOpen: isLast && !isClosed };
  }
}

/**
 * Returns the top-level blocks of a text, in order. Link definitions make no block of their own and belong to the block
 * before.
 */
function topSpans(source: string): Span[] {
  const tokens: ReturnType<typeof parser.parse> = [];
  parser.block.parse(source, parser, {}, tokens);
  const spans: Span[] = [];
  let line = 0;
  let offset = 0;
  for (const token of tokens) {
    if (token.level !== 0 || token.nesting < 0 || !token.map) {
      continue;
    }
    for (; line < token.map[0]; line++) {
      offset = source.indexOf('\n', offset) + 1;
    }
    const type = token.type === 'fence' ? 'fence' : token.type === 'table_open' ? 'table' : 'other';
    const start = spans.length === 0 ? 0 : offset;
    spans.push({
      type,
      start,
      firstLineEnd: source.indexOf('\n', offset),
      head: type === 'other' ? '' : firstLines(source, offset, type === 'fence' ? 1 : 2),
      language: token.info.trim().split(/\s+/)[0] ?? '',
      content: token.content,
      isClosed: type === 'fence' && isClosed(source, token.map, token.markup),
    });
  }
  if (spans.length === 0 && source.trim() !== '') {
    const firstLineEnd = source.indexOf('\n');
    spans.push({ type: 'other', start: 0, firstLineEnd, head: '', language: '', content: '', isClosed: false });
  }
  return spans;
}

/** Returns the first lines from an offset, with their line ends. */
function firstLines(source: string, start: number, count: number): string {
  let end = start;
  for (let line = 0; line < count; line++) {
    const lineEnd = source.indexOf('\n', end);
    end = lineEnd < 0 ? source.length : lineEnd + 1;
  }
  return source.slice(start, end);
}

/**
 * Returns the length that one block may have at the start of a text. Only this length of text is read, so that the
 * limit stays the same while the text grows.
 */
function limitOf(raw: string): number {
  let end = 0;
  for (let line = 0; line < MOST_LINES; line++) {
    const lineEnd = raw.indexOf('\n', end);
    if (lineEnd < 0 || lineEnd >= LONGEST_BLOCK) {
      return LONGEST_BLOCK;
    }
    end = lineEnd + 1;
  }
  return end;
}

/**
 * Returns the offset behind the line end where a block is cut: before a line without indentation if the second half has
 * such a line; 0 if no line ends.
 */
function bestLineEnd(raw: string, limit: number): number {
  const last = raw.lastIndexOf('\n', limit - 1) + 1;
  for (let end = last; end > limit / 2; end = raw.lastIndexOf('\n', end - 2) + 1) {
    if (!/\s/.test(raw[end] ?? '')) {
      return end;
    }
  }
  return last;
}

function isClosed(source: string, [first, last]: [number, number], markup: string): boolean {
  const line = source.split('\n', last)[last - 1] ?? '';
  return last - first > 1 && line.trim().startsWith(markup) && line.trim().replaceAll(markup[0] ?? '', '') === '';
}

/** Returns the end, moved so that no surrogate pair is split. */
function wholeCharacters(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? end - 1 : end;
}
