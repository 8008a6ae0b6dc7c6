/** The HTML of the chat view: nothing but our own script and style, and nothing from anywhere else. */

export interface PageParts {
  /** Addresses that the page can load. */
  script: string;
  style: string;
  /** What the content security policy calls our own resources. */
  source: string;
  /** Unguessable and new each time. */
  nonce: string;
  language: string;
  /** The texts of that language; absent where it is the code's own. */
  texts?: Readonly<Record<string, string>> | undefined;
}

/** What the page may load and run. */
export function policy(source: string, nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${source}`,
    `img-src ${source} data:`,
    `font-src ${source}`,
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ');
}

export function pageHtml({ script, style, source, nonce, language, texts }: PageParts): string {
  const handed = texts ? ` data-texts="${quoted(JSON.stringify(texts))}"` : '';
  return `<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(source, nonce)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Placet</title>
<link rel="stylesheet" href="${style}">
</head>
<body>
<div id="page"${handed}></div>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>
`;
}

function quoted(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
