#!/usr/bin/env node
import { runWithSupportedNode } from './node-version.js';

await runWithSupportedNode('context-main', (cli) => cli.main(process.argv.slice(2)));
