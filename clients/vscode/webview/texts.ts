/**
 * Loads the texts of the page in the user's language, as provided by VS Code. Every module with texts must be imported
 * after this module.
 */
import { config } from '@vscode/l10n';

const texts = document.getElementById('page')?.dataset.texts;
if (texts !== undefined) {
  config({ contents: texts });
}
