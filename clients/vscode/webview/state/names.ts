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

/** Returns the path of a directory relative to its folder of the workspace; empty for a folder of the workspace. */
export function folderIn(directory: string, roots: readonly string[]): string {
  for (const root of roots.map(pathOf)) {
    if (directory === root) {
      return '';
    }
    if (directory.startsWith(`${root}/`)) {
      return directory.slice(root.length + 1);
    }
  }
  return directory;
}

/** Returns the path of a `file:` URI as the system spells it, without a separator at the end. */
function pathOf(uri: string): string {
  const path = uri.replace(/^file:\/\/(?=\/)/, '').replace(/\/$/, '');
  const spelled = path.split('/').map(lastName).join('/');
  return /^\/[A-Za-z]:/.test(spelled) ? spelled.slice(1).replaceAll('/', '\\') : spelled;
}

/** Returns the first line of a text. */
export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/** Returns the user's text in a prompt. */
export function textOf(parts: readonly { type: string; text?: string; synthetic?: boolean }[]): string {
  return parts.flatMap((part) => (part.type === 'text' && !part.synthetic ? [part.text ?? ''] : [])).join('\n');
}
