#!/usr/bin/env node
import { runWithSupportedNode } from './node-version.js';

await runWithSupportedNode(() =>
  import('../dist/cli/main.js').then((cli) => cli.main(['context', ...process.argv.slice(2)])),
);
