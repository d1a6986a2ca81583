#!/usr/bin/env node
import { runWithSupportedNode } from './node-version.js';

await runWithSupportedNode(() => import('../dist/cli/context-main.js').then((cli) => cli.main(process.argv.slice(2))));
