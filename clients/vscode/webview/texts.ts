/** The texts of the page in the user's language, as VS Code handed them over. To be imported before all that has texts. */
import { config } from '@vscode/l10n';

const texts = document.getElementById('page')?.dataset.texts;
if (texts !== undefined) {
  config({ contents: texts });
}
