/** Maps VS Code's names of encodings to the names in Python and the daemon. */

const NAMES: Record<string, string> = {
  utf8: 'utf-8',
  utf8bom: 'utf-8',
  utf16le: 'utf-16-le',
  utf16be: 'utf-16-be',
  iso88591: 'iso-8859-1',
  windows1252: 'windows-1252',
};

/** Returns the encoding, and whether the file begins with a byte order mark. */
export function encodingOf(name: string | undefined): { encoding: string; bom: boolean } {
  const encoding = name ?? 'utf8';
  return { encoding: NAMES[encoding] ?? encoding, bom: encoding === 'utf8bom' || encoding.startsWith('utf16') };
}
