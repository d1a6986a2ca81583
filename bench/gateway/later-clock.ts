/** Loaded into a gateway before its own code: each SIGUSR2 puts its clock on by six minutes, so that nobody sleeps for five. */
const STEP_MS = 6 * 60_000;
const now = Date.now;
let ahead = 0;
Date.now = () => now() + ahead;
process.on('SIGUSR2', () => {
  ahead += STEP_MS;
});
