// Beside suites/walkthrough.cjs: the user who presses the first step's button, and looks at its mark.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

export async function act(page, picture, folder) {
  const button = page.getByRole('button', { name: 'Run the Doctor' }).first();
  await button.waitFor({ timeout: 60_000 });
  await button.click();
  await page.getByRole('tab', { name: /Placet Doctor/ }).waitFor({ timeout: 60_000 });
  await page.getByRole('tab', { name: /Welcome|Walkthrough/ }).click();
  const step = page.locator('[data-step-id$="install"], .getting-started-step', { hasText: 'Install Placet' }).first();
  await step.locator('.codicon-getting-started-step-checked, .complete').first().waitFor({ timeout: 60_000 });
  await page.screenshot({ path: picture });
  await writeFile(path.join(folder, 'seen.txt'), '');
}
