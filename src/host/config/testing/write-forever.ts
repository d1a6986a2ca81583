// Adds servers to a config file until it is killed: argv = global file, project file, prefix of ids.
import { ConfigStore } from '../config-store.ts';

const [global = '', project = '', prefix = ''] = process.argv.slice(2);
const store = new ConfigStore({ global, project });
for (let index = 0; ; index += 1) {
  await store.add(
    `${prefix}${index}`,
    { transport: 'http', url: `https://${prefix}.example/${index}` },
    'global',
    false,
  );
  process.stdout.write(`${prefix}${index}\n`);
}
