/** Turns foreign text into plain text: without links, icons, commands, line ends or changes of direction. */

/** Control characters, marks that turn the direction of text, separators that end a line, and invisible tags. */
const OBEYED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression searches for control characters.
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;
/**
 * Invisible characters, including characters without width. A text that the user decides on shows these characters
 * spelled out.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;
/**
 * Character that breaks a link between the brackets, or an icon behind the sign, and leaves the text looking the same.
 */
const NOTHING = '\u200b';

/** Returns one line for any of VS Code's own windows, in which links, icons and commands are inert. */
export function plain(text: string): string {
  return text
    .replace(/\s*[\r\n]\s*/g, ' ↵ ')
    .replace(OBEYED, spelling)
    .replace(/\](?=\()/g, `]${NOTHING}`)
    .replace(/\$(?=\()/g, `$${NOTHING}`);
}

/** Makes each line plain, for texts with line ends of our own, such as a tooltip. */
export function plainLines(text: string): string {
  return text.split('\n').map(plain).join('\n');
}

/** Returns one line in which every invisible character is spelled out, as `\n` or `\u001b`. */
export function spelledOut(text: string): string {
  return text.replace(/\n/g, '\\n').replace(INVISIBLE, spelling);
}

/** Returns a long text without the middle, so that the reader sees the beginning and the end. */
export function shortened(text: string, most: number): string {
  const all = [...text];
  const tail = Math.floor((most - 3) / 2);
  return all.length <= most
    ? text
    : `${all.slice(0, most - 3 - tail).join('')} … ${all.slice(all.length - tail).join('')}`;
}

/** Returns the lines, spelled out; a count replaces many empty lines, so that empty lines push no text out of view. */
export function shownLines(text: string): string[] {
  const lines: string[] = [];
  let empty = 0;
  for (const line of [...text.split('\n').map(spelledOut), undefined]) {
    if (line?.trim() === '') {
      empty += 1;
      continue;
    }
    lines.push(...(empty > 2 ? [`… ${empty} empty lines …`] : Array<string>(empty).fill('')));
    empty = 0;
    lines.push(...(line === undefined ? [] : [line]));
  }
  return lines;
}

/** Returns the text as a code block of Markdown, with a fence that is longer than any fence in the text. */
export function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n?$/, '\n')}${fence}`;
}

function spelling(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}
