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

/** Returns the user's text in a prompt. */
export function textOf(parts: readonly { type: string; text?: string; synthetic?: boolean }[]): string {
  return parts.flatMap((part) => (part.type === 'text' && !part.synthetic ? [part.text ?? ''] : [])).join('\n');
}
