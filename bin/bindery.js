#!/usr/bin/env node
import { runWithSupportedNode } from './node-version.js';

await runWithSupportedNode('start', (cli) => cli.start(process.argv.slice(2)));
