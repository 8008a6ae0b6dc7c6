/** Replaces the package `entities` of markdown-it: a browser already knows HTML's named characters. */

const parser = new DOMParser();
/**
 * Length in UTF-16 units; a longer result contains the rest of a name that HTML also reads without the semicolon
 * (`&notit;`).
 */
const LONGEST_CHARACTER = 2;

/**
 * Returns the character of a reference by name (`&copy;`); returns the reference unchanged when no character has the
 * name.
 */
export function decodeHTMLStrict(reference: string): string {
  const decoded = parser.parseFromString(reference, 'text/html').documentElement.textContent;
  return decoded.length <= LONGEST_CHARACTER ? decoded : reference;
}
