// Beside suites/asks.cjs: the user who types the alphabet over and over, whatever else happens, until it is enough.
import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz';
const LETTER_MILLISECONDS = 60;

export async function act(page, _picture, folder) {
  await page.getByRole('tab', { name: /typed\.txt/ }).waitFor();
  await page.locator('.monaco-editor.focused').first().waitFor();
  let typed = '';
  for (; !existsSync(path.join(folder, 'enough')) || typed.length < ALPHABET.length; typed += ALPHABET[typed.length % 26]) {
    await page.keyboard.type(ALPHABET[typed.length % 26], { delay: LETTER_MILLISECONDS });
  }
  await writeFile(path.join(folder, 'all.part'), typed);
  await rename(path.join(folder, 'all.part'), path.join(folder, 'all'));
}
