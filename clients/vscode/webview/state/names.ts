/** Names and texts for people. Pure. */

/** Returns the file name of a URI. */
export function lastName(uri: string): string {
  const name = uri.split('/').at(-1) ?? uri;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Returns the path of a URI relative to the folder with the file; without such a folder, the file name. */
export function nameIn(uri: string, roots: readonly string[]): string {
  const root = roots.find((root) => uri.startsWith(`${root.replace(/\/$/, '')}/`));
  if (root === undefined) {
    return lastName(uri);
  }
  const path = uri.slice(root.replace(/\/$/, '').length + 1);
  return path.split('/').map(lastName).join('/');
}

/** Returns the first line of a text. */
export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/** Returns the user's text in a prompt. */
export function textOf(parts: readonly { type: string; text?: string; synthetic?: boolean }[]): string {
  return parts.flatMap((part) => (part.type === 'text' && !part.synthetic ? [part.text ?? ''] : [])).join('\n');
}
