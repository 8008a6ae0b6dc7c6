/** HTML of the doctor's page: no scripts, and links to commands alone. Pure. */
import * as l10n from '@vscode/l10n';
import { linksIn } from './links';
import type { Section } from './report';

const STYLE = `
body { max-width: 50em; padding: 0 1.5em 2em; line-height: 1.5; }
h1 { font-size: 1.6em; font-weight: 400; }
h2 { margin: 1.4em 0 0.3em; font-size: 1.1em; font-weight: 600; }
ul { margin: 0; padding-left: 1.3em; }
li { overflow-wrap: anywhere; }
.grave { border-left: 3px solid var(--vscode-editorError-foreground, var(--vscode-contrastBorder)); padding-left: 1em; }
`;

/** Addresses of the page's links. */
export interface Addresses {
  /** Returns the address of a command that opens a file. */
  fileAddress(path: string): string;
  /** Command that copies the report. */
  copyAddress: string;
}

/** Returns the page; `nonce` is new each time. */
export function pageOf(sections: readonly Section[], addresses: Addresses, language: string, nonce: string): string {
  const written = sections.map(
    ({ title, lines, isGrave }) =>
      `<section${isGrave ? ' class="grave"' : ''}>\n<h2>${escaped(title)}</h2>\n<ul>\n${lines
        .map((line) => `<li>${lineOf(line, addresses)}</li>`)
        .join('\n')}\n</ul>\n</section>`,
  );
  return `<!DOCTYPE html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${nonce}'">
<title>Placet: Doctor</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main>
<h1>Placet: Doctor</h1>
<p>${anchor(addresses.copyAddress, l10n.t('Copy Report'))}</p>
${written.join('\n')}
</main>
</body>
</html>
`;
}

/** Returns the line with its code and links marked up. */
function lineOf(line: string, addresses: Addresses): string {
  return line
    .split('`')
    .map((piece, index) => (index % 2 === 1 ? `<code>${escaped(piece)}</code>` : linked(piece, addresses)))
    .join('');
}

function linked(text: string, { fileAddress }: Addresses): string {
  let end = 0;
  const pieces = linksIn(text).map((link) => {
    const before = escaped(text.slice(end, link.start));
    end = link.end;
    const address = link.target.startsWith('command:') ? link.target : fileAddress(link.target);
    return before + anchor(address, text.slice(link.start, link.end));
  });
  return pieces.join('') + escaped(text.slice(end));
}

function anchor(address: string, text: string): string {
  return `<a href="${escaped(address)}">${escaped(text)}</a>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
