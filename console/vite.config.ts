import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: 'es2023',
    // A preload helper would be script that adds elements to the page.
    modulePreload: { polyfill: false },
    // Icons as data: addresses would need an exception in the content security policy.
    assetsInlineLimit: 0,
  },
});
