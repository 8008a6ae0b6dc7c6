/** Draft of the composer. Pure. */

/**
 * Returns the draft with a prompt for editing in front. A draft that is empty, or that an earlier act has put into the
 * composer (`instead`), makes room; other words of the user stay behind the prompt.
 */
export function withPrompt(draft: string, prompt: string, instead: string | undefined): string {
  const own = draft.trim() === '' || draft === instead ? '' : draft;
  return [prompt, own].filter((text) => text !== '').join('\n\n');
}
