/** Output of a terminal as plain text. Pure. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences are what is taken out.
const SEQUENCES = /\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b\[[0-?]*[ -/]*[@-~]|\u001b[@-Z\\-_=>()][A-Z0-9]?/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** Returns the output without control sequences; a line that was overwritten keeps the last text. */
export function plainOutput(output: string): string {
  return output
    .replace(SEQUENCES, '')
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.replace(/\r+$/, '').split('\r').at(-1) ?? '')
    .join('\n')
    .replace(CONTROLS, '');
}
