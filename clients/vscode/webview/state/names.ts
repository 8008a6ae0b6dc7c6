/** Names and words for people. Pure. */

/** The file's own name. */
export function lastName(uri: string): string {
  const name = uri.split('/').at(-1) ?? uri;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** What the user wrote in a prompt. */
export function textOf(parts: readonly { type: string; text?: string; synthetic?: boolean }[]): string {
  return parts.flatMap((part) => (part.type === 'text' && !part.synthetic ? [part.text ?? ''] : [])).join('\n');
}
