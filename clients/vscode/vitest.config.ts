import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Generous: some tests try hundreds of texts, and machines are busy.
  test: { include: ['test/**/*.test.ts'], testTimeout: 60_000 },
});
