#!/usr/bin/env node
import { runWithSupportedNode } from './node-version.js';

await runWithSupportedNode(() => import('../dist/cli/start.js').then((cli) => cli.start(process.argv.slice(2))));
