import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ProviderDirectoryFile } from '../../store/corpus/provider-file.ts';
import { providerRefresh } from './civic-providers.ts';

test('a directory that becomes invalid is reported once, and so is its recovery', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'civic-providers-'));
  const file = join(dir, 'providers.yaml');
  const said: string[] = [];
  const say = (text: string) => said.push(text);
  const log = { debug: say, info: say, warn: say, error: say };
  const providers = new ProviderDirectoryFile(file);
  const refresh = providerRefresh(providers, { now: () => 0 }, log);
  const look = async (text: string) => {
    writeFileSync(file, text);
    for (let n = 0; n < 3; n++) await refresh();
  };
  await look('categories: []\nproviders: []\n');
  await look('categories: [\n');
  const kept = providers.file !== undefined;
  await look('categories: []\nproviders: []\n\n');
  rmSync(dir, { recursive: true });
  expect([kept, said]).toEqual([
    true,
    ['the provider directory is not valid; the last good one stays', 'the provider directory is valid again'],
  ]);
});

test('a directory that was never valid is a fault', async () => {
  const providers = new ProviderDirectoryFile(join(tmpdir(), 'no-such-folder', 'providers.yaml'));
  const say = () => {};
  const refresh = providerRefresh(providers, { now: () => 0 }, { debug: say, info: say, warn: say, error: say });
  await expect(refresh()).rejects.toMatchObject({ code: 'providers_invalid' });
});
