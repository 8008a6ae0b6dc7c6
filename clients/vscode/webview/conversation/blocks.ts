/** A Markdown text that still grows, as blocks of bounded size: those behind the last never change again. */
import MarkdownIt from 'markdown-it';

export interface Block {
  /** `plain`: a piece of a line too long to be anything. */
  kind: 'markdown' | 'code' | 'plain';
  /** Without the fence, for code. */
  text: string;
  language: string;
  /** It goes on the code block that stands before it. */
  goesOn: boolean;
  /** More of it may come. */
  isOpen: boolean;
}

/** Characters and lines of a block; what is longer is cut, at a line's end where there is one. */
export const LONGEST_BLOCK = 4_000;
export const MOST_LINES = 60;
/** Characters that are parsed at once. */
const WINDOW = 8 * LONGEST_BLOCK;

interface Span {
  type: 'fence' | 'table' | 'other';
  /** Where it begins in the source, and where its first line ends (-1: not yet). */
  start: number;
  firstLineEnd: number;
  /** What must stand above each piece of it: the fence, or the table's head. */
  head: string;
  language: string;
  content: string;
  isClosed: boolean;
}

const parser = new MarkdownIt('commonmark', { html: false }).enable(['table', 'strikethrough']);

/** Reads one text. Feed it the whole text each time; it looks only at what is new and at the last block. */
export class BlockReader {
  #settled: Block[] = [];
  #tail: Block[] = [];
  #known = '';
  /** Where the first block begins that is not settled. */
  #at = 0;
  /** What stands above the rest of the code block or table that was cut at `#at`, with its line's end. */
  #head = '';

  read(text: string): readonly Block[] {
    if (text !== this.#known) {
      if (!text.startsWith(this.#known)) {
        this.#settled = [];
        this.#at = 0;
        this.#head = '';
      }
      this.#known = text;
      this.#tail = [];
      while (this.#settleSome(text)) {
        // One window after the other.
      }
    }
    return this.#tail.length > 0 ? [...this.#settled, ...this.#tail] : this.#settled;
  }

  /** Settle what is whole in the next window; false when all of the text has been looked at. */
  #settleSome(text: string): boolean {
    const window = text.slice(this.#at, this.#at + WINDOW);
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

  /** Settle the first part of a block that is too long. */
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

/** The top-level blocks of a text, in order. Definitions of links stand for nothing and belong to the block before. */
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

/** With their ends. */
function firstLines(source: string, start: number, count: number): string {
  let end = start;
  for (let line = 0; line < count; line++) {
    const lineEnd = source.indexOf('\n', end);
    end = lineEnd < 0 ? source.length : lineEnd + 1;
  }
  return source.slice(start, end);
}

/** How much of it may be one block. Depends on nothing behind that, so that it is the same as more comes. */
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

/** Behind which line to cut: before one that is not indented, if there is such a one in the second half; 0 for none. */
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

/** Not in the middle of a surrogate pair. */
function wholeCharacters(text: string, end: number): number {
  const unit = text.charCodeAt(end - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? end - 1 : end;
}
