// Beside suites/edits.cjs: the user who reviews and accepts what the first turn asks. A window under test shows no toasts of its
// own accord, but the same notifications in their list, which the suite opens.
export async function act(page, picture) {
  // The suite tells where it hangs before.
  await page.getByText('Placet: 1').waitFor({ timeout: 0 });
  const review = page.locator('.notification-list-item a', { hasText: 'Review' });
  await review.first().waitFor();
  if (picture) {
    await page.screenshot({ path: picture });
  }
  await review.first().click();
  await page.locator('.codelens-decoration a', { hasText: 'Accept' }).first().click();
}
