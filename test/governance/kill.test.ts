import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { McpServer } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type RunningFixture, startModernFixture } from '../../src/proxy/testing/fixture-server.ts';
import { readAudit } from '../../src/store/audit/audit-reader.ts';
import { callTool, untilListed } from '../support/call-tool.ts';
import { openCommandHome } from '../support/command-home.ts';
import { type RunningBindery, startBindery } from '../support/running-bindery.ts';

const ROUNDS = Number(process.env.BINDERY_KILL_ROUNDS ?? 5);
const CALLERS = 6;

/** How often the server did each thing that it was asked to do. */
const done = new Map<string, number>();
let fixture: RunningFixture;
beforeAll(async () => {
  fixture = await startModernFixture(() => {
    const server = new McpServer({ name: 'counter', version: '1' });
    const work = async ({ text }: { text: string }) => {
      done.set(text, (done.get(text) ?? 0) + 1);
      return { content: [{ type: 'text' as const, text }] };
    };
    server.registerTool('plain', { inputSchema: z.object({ text: z.string() }) }, work);
    server.registerTool('asked', { inputSchema: z.object({ text: z.string() }) }, work);
    return server;
  });
});
afterAll(() => fixture.close());

test(
  `kill -9 at random moments under load, ${ROUNDS} rounds: the log verifies and has every answer, no approval is used twice, the registry is whole [gateway:U3] [gateway:V1] [gateway:R1]`,
  async () => {
    const home = openCommandHome();
    home.write(
      'project_mcp.json',
      JSON.stringify({ allowlist: { servers: ['s'], operations: { asked: { approval_required: true } } } }),
    );
    const answered: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      // Every other round with commits that reach the disk, which are written in another way.
      const gateway = { audit: { fsync: round % 2 === 1 } };
      const servers = { s: { transport: 'http', url: fixture.url } };
      home.write('.bindery/config.json', JSON.stringify({ version: 1, mcp: { servers }, gateway }));
      const bindery = await startBindery(home);
      await untilListed(bindery.url, 's__plain', { text: `warm ${round}` });
      let isOver = false;
      const load = Array.from({ length: CALLERS }, (_, caller) =>
        callForEver(bindery, `${round}.${caller}`, caller % 3 === 0, () => isOver, answered),
      );
      const approver = approveForEver(bindery, () => isOver);
      const before = answered.length;
      while (answered.length < before + 5) await pause(5);
      await pause(Math.random() * 300);
      isOver = true;
      await bindery.stop('SIGKILL');
      await Promise.all([...load, approver]);
      expect(checkRegistry(home.dataDir)).toEqual({ integrity: 'ok', servers: 1 });
    }
    // A start ends what the last kill interrupted.
    const last = await startBindery(home);
    await last.stop();
    expect((await home.json('audit', 'verify')).ok).toBe(true);
    const { begun, ended, approvals } = readLog(home.dataDir);
    expect(answered.filter((text) => ended.get(begun.get(text) ?? '') !== 'ok')).toEqual([]);
    expect([...begun.values()].filter((call) => !ended.has(call))).toEqual([]);
    expect(approvals.filter((id, index) => approvals.indexOf(id) !== index)).toEqual([]);
    // Each asked call has arguments of its own: what the server did twice would have been one approval for two calls.
    expect([...done].filter(([, count]) => count > 1)).toEqual([]);
    expect([answered.length >= ROUNDS * 5, approvals.length > 0]).toEqual([true, true]);
  },
  60_000 + ROUNDS * 30_000,
);

async function callForEver(
  bindery: RunningBindery,
  name: string,
  asks: boolean,
  isOver: () => boolean,
  answered: string[],
) {
  for (let count = 0; !isOver(); count += 1) {
    const text = `${asks ? 'asked' : 'plain'} ${name} ${count}`;
    try {
      const answer = await callTool(bindery.url, asks ? 's__asked' : 's__plain', { text });
      if (answer.result?.isError !== true && answer.result?.content?.[0]?.text === text) answered.push(text);
    } catch {
      // The gateway was killed: this caller saw no answer.
      return;
    }
  }
}

async function approveForEver(bindery: RunningBindery, isOver: () => boolean) {
  while (!isOver()) {
    try {
      const { body } = await bindery.api('GET', '/v1/approvals?status=pending');
      for (const { id } of (body as { items: { id: string }[] }).items) {
        // Twice, at once: only one of them may count.
        await Promise.all(
          [1, 2].map(() => bindery.api('POST', `/v1/approvals/${id}/decision`, { decision: 'approve' })),
        );
      }
      await pause(5);
    } catch {
      return;
    }
  }
}

function readLog(dataDir: string) {
  const begun = new Map<string, string>();
  const ended = new Map<string, string>();
  const approvals: string[] = [];
  for (const line of readAudit(dataDir, (reader) => [...reader.exportLines()])) {
    const record = JSON.parse(line);
    if (record.kind !== 'call') continue;
    if (record.phase === 'begin') {
      begun.set(record.arguments.text, record.call_id);
      if (record.approval_id) approvals.push(record.approval_id);
    } else if (record.phase === 'end') ended.set(record.call_id, record.outcome);
  }
  return { begun, ended, approvals };
}

function checkRegistry(dataDir: string) {
  const database = new DatabaseSync(join(dataDir, 'registry.db'));
  const { integrity_check: integrity } = database.prepare('PRAGMA integrity_check').get() as {
    integrity_check: string;
  };
  const { servers } = database.prepare('SELECT COUNT(*) AS servers FROM mcp_servers WHERE offer IS NOT NULL').get() as {
    servers: number;
  };
  database.close();
  return { integrity, servers };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
