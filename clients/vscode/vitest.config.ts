import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

const files = globSync('test/**/*.test.ts');
const mocking = files.filter((file) => readFileSync(file, 'utf8').includes('vi.mock('));

export default defineConfig({
  test: {
    // Generous: some tests try hundreds of texts, and machines are busy.
    testTimeout: 60_000,
    pool: 'threads',
    // Modules are loaded once for all files, except for files that put other modules in their place.
    projects: [
      { extends: true, test: { name: 'together', include: files, exclude: mocking, isolate: false } },
      { extends: true, test: { name: 'alone', include: mocking } },
    ],
  },
});
