// Beside suites/asks.cjs: the user who types the alphabet, whatever else happens.
const LETTER_MILLISECONDS = 400;

export async function act(page) {
  await page.getByRole('tab', { name: /typed\.txt/ }).waitFor({ timeout: 60_000 });
  await page.locator('.monaco-editor.focused').first().waitFor({ timeout: 20_000 });
  await page.keyboard.type('abcdefghijklmnopqrstuvwxyz', { delay: LETTER_MILLISECONDS });
}
