/** HTML of the chat view, with only our own script and style. */

/** Place of the page in VS Code: a side bar or an editor tab. */
export type Place = 'side' | 'editor';

export interface PageParts {
  /** Addresses that the page can load. */
  script: string;
  style: string;
  /** Name of our own resources in the content security policy. */
  source: string;
  /** Nonce that is unguessable and new each time. */
  nonce: string;
  language: string;
  /** Translated texts of the language; absent for the language of the code. */
  texts?: Readonly<Record<string, string>> | undefined;
  place: Place;
}

/** Returns the content security policy: the resources that the page may load and run. */
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

export function pageHtml({ script, style, source, nonce, language, texts, place }: PageParts): string {
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
<body data-place="${place}">
<div id="page"${handed}></div>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>
`;
}

function quoted(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
