// Beside suites/chat.cjs: the user who types a prompt into the chat's page, and reads the answer of the built-in rules.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

export async function act(page, picture, folder) {
  const chat = page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
  const box = chat.locator('textarea, [contenteditable="true"]').first();
  await box.waitFor();
  await box.click();
  await page.keyboard.type('What can you do?');
  await page.keyboard.press('Enter');
  await chat.getByText('What can you do?').first().waitFor();
  await chat.getByText(/No model is set/).first().waitFor();
  await page.screenshot({ path: picture });
  await writeFile(path.join(folder, 'seen.txt'), '');
}
