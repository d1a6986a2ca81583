import { main } from '../../src/cli/main.ts';

/** The command from its sources, so that tests run what is there and not what was built last. */
await main(process.argv.slice(2));
