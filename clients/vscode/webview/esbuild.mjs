/**
 * Bundles the page of the chat view: `node webview/esbuild.mjs [--production]` writes dist/webview/{main.js,main.css}.
 */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Returns the options of esbuild for the page. */
export function pageOptions(isProduction) {
  return {
    absWorkingDir: root,
    entryPoints: { main: 'webview/main.tsx' },
    outdir: 'dist/webview',
    bundle: true,
    // The package's tables would be an eighth of the page, and the browser already has the tables.
    alias: { entities: './webview/conversation/entities.ts' },
    format: 'iife',
    platform: 'browser',
    target: 'es2023',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: isProduction,
    sourcemap: isProduction ? false : 'linked',
    legalComments: isProduction ? 'none' : 'inline',
    logLevel: 'warning',
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await build(pageOptions(process.argv.includes('--production')));
}
