import { expect, test } from 'vitest';
import { CLIENTS, tryClients } from './matrix.ts';

test('nothing is lost through the gateway, and each revision of the client meets servers of both', async () => {
  const ours = CLIENTS.filter(({ module }) => module === 'sdk-2');
  const { cells } = await tryClients(ours, (server) => server === 'sessions-2025' || server === 'modern-2026');
  // What a server does not offer works neither way.
  const offered = cells.filter(({ verdict }) => verdict !== 'neither');
  const verdicts = (client: string, server: string) => [
    ...new Set(
      offered.filter((cell) => cell.client === client && cell.server === server).map(({ verdict }) => verdict),
    ),
  ];
  expect(
    Object.fromEntries(ours.map(({ id }) => [id, [verdicts(id, 'sessions-2025'), verdicts(id, 'modern-2026')]])),
  ).toEqual({
    'SDK 2, auto': [['both'], ['both']],
    'SDK 2, legacy': [['both'], ['gateway']],
    'SDK 2, pinned to 2026-07-28': [['gateway'], ['both']],
  });
});
