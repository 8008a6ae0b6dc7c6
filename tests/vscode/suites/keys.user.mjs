// Beside suites/keys.cjs: the user who uses nothing but the keyboard.
const LOOK_MILLISECONDS = 20;
const focusedEditor = (page, tab) =>
  page
    .getByRole('tab', { name: tab })
    // The suite tells where it hangs before.
    .waitFor({ timeout: 0 })
    .then(() => page.locator('.monaco-editor.focused').first().waitFor());

export async function act(page, picture) {
  await focusedEditor(page, /here\.py/);
  await page.keyboard.press('Control+k');
  await page.keyboard.press('a');
  const box = page.locator('.quick-input-widget:visible input[type="text"]').first();
  await box.waitFor();
  await page.keyboard.type('turn it round');
  await page.screenshot({ path: picture.replace('.png', '-ask.png') });
  await page.keyboard.press('Enter');

  await focusedEditor(page, /chosen\.py/);
  await page.keyboard.press('Control+k');
  await page.keyboard.press('l');
  const chat = page.frameLocator('iframe.webview.ready').frameLocator('#active-frame');
  await chat.getByText('chosen.py:1-2').first().waitFor();
  const prompt = chat.locator('textarea, [contenteditable="true"]').first();
  await prompt.waitFor();
  const hasFocus = () => prompt.evaluate((one) => one.ownerDocument.hasFocus() && one.ownerDocument.activeElement === one);
  while (!(await hasFocus())) {
    await page.waitForTimeout(LOOK_MILLISECONDS);
  }
  await page.screenshot({ path: picture.replace('.png', '-selection.png') });
  await page.keyboard.type('What is this?');
  await page.keyboard.press('Enter');
}
