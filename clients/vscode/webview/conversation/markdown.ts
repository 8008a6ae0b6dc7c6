/** Renders untrusted Markdown as harmless nodes: no scripts, no remote content, no forms. */
import * as l10n from '@vscode/l10n';
import DOMPurify from 'dompurify';
import MarkdownIt from 'markdown-it';

const TAGS =
  'a b blockquote br code del div em h1 h2 h3 h4 h5 h6 hr i img li ol p pre s span strong sub sup table tbody td th thead tr ul'.split(
    ' ',
  );
const ATTRIBUTES = ['href', 'src', 'alt', 'title', 'start', 'class', 'tabindex', 'data-path', 'role', 'aria-label'];
const SAFE_URI = /^(?:https?:\/\/|data:image\/(?:png|jpeg|gif|webp);base64,|#$)/i;
const REMOTE = /^https?:\/\//i;
const EMBEDDED_IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,/i;
const SCHEME = /^[a-z][a-z0-9+.-]*:|^\/\//i;

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: false });
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
markdown.validateLink = () => true; // The rules below check every address, and the sanitizer checks again.

const { rules } = markdown.renderer;
rules.link_open = (tokens, index, options, _environment, self) => {
  const token = tokens[index];
  const address = String(token?.attrGet('href') ?? '');
  if (token && !REMOTE.test(address)) {
    token.attrSet('href', '#');
    if (address !== '' && !address.startsWith('#') && !SCHEME.test(address)) {
      token.attrSet('data-path', decoded(address));
    } else {
      token.attrs = [['class', 'dead']];
    }
  }
  return self.renderToken(tokens, index, options);
};
rules.image = (tokens, index, options, environment, self) => {
  const token = tokens[index];
  const address = String(token?.attrGet('src') ?? '');
  const alt = escaped(self.renderInlineAsText(token?.children ?? [], options, environment));
  if (EMBEDDED_IMAGE.test(address)) {
    return `<img src="${escaped(address)}" alt="${alt}">`;
  }
  return REMOTE.test(address) ? `<a href="${escaped(address)}">${alt || escaped(address)}</a>` : alt;
};
rules.table_open = () =>
  `<div class="table" tabindex="0" role="group" aria-label="${escaped(l10n.t('Table'))}"><table>`;
rules.table_close = () => '</table></div>';
rules.fence = (tokens, index) => `<pre tabindex="0"><code>${escaped(tokens[index]?.content ?? '')}</code></pre>`;
rules.code_block = rules.fence;

const purifier = DOMPurify(window);

/** Returns the text as nodes. Links to files of the project carry `data-path` and have no target of their own. */
export function render(text: string): DocumentFragment {
  return sanitized(markdown.render(text));
}

/** Returns HTML as nodes of the allowed kinds. */
export function sanitized(html: string): DocumentFragment {
  return purifier.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOWED_URI_REGEXP: SAFE_URI,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
}

function escaped(text: string): string {
  return markdown.utils.escapeHtml(text);
}

function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}
