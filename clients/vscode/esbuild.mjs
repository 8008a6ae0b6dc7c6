// Bundles the extension's host part: a small file that VS Code loads, and the rest that it loads when it is needed.
import { existsSync } from 'node:fs';
import * as esbuild from 'esbuild';

const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');

const options = {
  entryPoints: ['src/extension.ts', 'src/services.ts'],
  outdir: 'dist',
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  external: ['vscode'],
  minify: production,
  sourcemap: production ? false : 'linked',
  legalComments: production ? 'none' : 'inline',
  logLevel: 'warning',
  plugins: [
    {
      name: 'services-stay-outside',
      setup(build) {
        build.onResolve({ filter: /^\.\/services$/ }, () => ({ path: './services.js', external: true }));
      },
    },
  ],
};

if (watch) {
  await (await esbuild.context(options)).watch();
} else {
  await esbuild.build(options);
}
if (existsSync('webview/main.tsx')) {
  const { pageOptions } = await import('./webview/esbuild.mjs');
  await esbuild.build(pageOptions(production));
}
