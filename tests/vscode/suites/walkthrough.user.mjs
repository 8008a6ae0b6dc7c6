// Beside suites/walkthrough.cjs: the user who presses the first step's button, and looks at its mark.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

export async function act(page, picture, folder) {
  const install = page.locator('.getting-started-step', { hasText: 'Install Placet' }).first();
  await install.waitFor({ timeout: 0 });
  const button = page.getByRole('button', { name: 'Run the Doctor' }).first();
  // A step that is ticked already is not open.
  if (!(await button.isVisible())) {
    await install.click();
  }
  await button.waitFor();
  await button.click();
  await page.getByRole('tab', { name: /Placet: Doctor/ }).waitFor();
  await page.getByRole('tab', { name: /Welcome|Walkthrough/ }).click();
  const step = page.locator('[data-step-id$="install"], .getting-started-step', { hasText: 'Install Placet' }).first();
  await step.locator('.codicon-getting-started-step-checked, .complete').first().waitFor();
  const model = page.locator('.getting-started-step', { hasText: 'Sign in and select a model' }).first();
  await model.click();
  await page.getByRole('button', { name: 'Sign In to Provider' }).first().waitFor();
  if ((await model.locator('.codicon-getting-started-step-checked').count()) > 0) {
    throw new Error('the step of the model is ticked without a model');
  }
  await page.screenshot({ path: picture });
  await writeFile(path.join(folder, 'seen.txt'), '');
}
