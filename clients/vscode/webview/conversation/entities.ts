/** Stands in for the package `entities` of markdown-it: a browser knows the named characters of HTML already. */

const parser = new DOMParser();
/** In UTF-16 units; what is longer is the rest of a name that HTML also reads without its semicolon (`&notit;`). */
const LONGEST_CHARACTER = 2;

/** One reference by name (`&copy;`) as its character; as it is when no character has that name. */
export function decodeHTMLStrict(reference: string): string {
  const decoded = parser.parseFromString(reference, 'text/html').documentElement.textContent;
  return decoded.length <= LONGEST_CHARACTER ? decoded : reference;
}
