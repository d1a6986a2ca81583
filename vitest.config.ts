import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    setupFiles: ['test/support/property-seed.ts'],
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'mutants/**/*.test.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // A poll waits for a state, however busy the machine is.
    expect: { poll: { timeout: 30_000 } },
    // Two cores are what users start from. Tests wait for processes and timers for a third of their time: a third worker uses it.
    maxWorkers: 3,
  },
});
