#!/usr/bin/env node
import { keepCompiledCode } from './compile-cache.js';
import { runWithSupportedNode } from './node-version.js';

await runWithSupportedNode(() => {
  keepCompiledCode();
  return import('../dist/cli/start.js').then((cli) => cli.start(process.argv.slice(2)));
});
