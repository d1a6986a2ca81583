import { main } from '../../src/cli/context-main.ts';

/** The command `context` from its sources. */
await main(process.argv.slice(2));
