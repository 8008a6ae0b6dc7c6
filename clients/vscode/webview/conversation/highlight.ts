/** Highlights code in the most frequent languages. */
import core from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import c from 'highlight.js/lib/languages/c';
import cpp from 'highlight.js/lib/languages/cpp';
import csharp from 'highlight.js/lib/languages/csharp';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import lua from 'highlight.js/lib/languages/lua';
import python from 'highlight.js/lib/languages/python';
import ruby from 'highlight.js/lib/languages/ruby';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { sanitized } from './markdown';

const LANGUAGES = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  go,
  java,
  javascript,
  json,
  lua,
  python,
  ruby,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};

for (const [name, language] of Object.entries(LANGUAGES)) {
  core.registerLanguage(name, language);
}

/** Limit of a line for highlighting: nobody reads a longer line, and highlighting could take long. */
const LONGEST_LINE = 2_000;

/** Returns the code as nodes, with colours if the language is known. */
export function highlighted(code: string, language: string): Node {
  const isLong = code.split('\n').some((line) => line.length > LONGEST_LINE);
  if (isLong || !core.getLanguage(language)) {
    return document.createTextNode(code);
  }
  return sanitized(core.highlight(code, { language, ignoreIllegals: true }).value);
}
