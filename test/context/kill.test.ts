import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CONTEXT_LIMITS } from '../../src/context/limits.ts';
import { BUILD_STEPS, type BuildStep } from '../../src/store/context/build-steps.ts';
import { build, buildFrom, inFolder, snapshot, writeFiles } from '../../src/store/context/testing/folders.ts';
import { root } from '../support/repository.ts';
import { runContext, spawnContext } from './run.ts';

const BUILD_UNTIL = join(root, 'src/store/context/testing/build-until.ts');

const ROUNDS = Number(process.env.KILL_ROUNDS ?? 4);

/** More sources than one thread takes, so that the threads are killed too. */
const SOURCES = Object.fromEntries(
  Array.from({ length: CONTEXT_LIMITS.buildInlineMax + 300 }, (_, index) => [`${index}.md`, `document ${index % 500}`]),
);

async function killedAfter(argv: readonly string[], delayMs: number): Promise<number | null> {
  const child = spawnContext(argv);
  const timer = setTimeout(() => child.kill('SIGKILL'), delayMs);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearTimeout(timer);
  return code;
}

/** Until the new cache stands in its place it is the old one; in the one moment between, there is none. */
const leftAfter = (step: BuildStep) => {
  if (step === 'old cache moved aside') return 'none';
  return BUILD_STEPS.indexOf(step) < BUILD_STEPS.indexOf('new cache in place') ? 'old' : 'new';
};

test.each(BUILD_STEPS.map((step) => [step, leftAfter(step)] as const))(
  '[context:Z8] a build that is killed at "%s": what is left is the %s one, and the next build finds its way',
  (step, left) =>
    inFolder(async (folder) => {
      const cache = await buildFrom(folder, { 'a.md': 'old' });
      const sources = writeFiles(join(folder, 'new-sources'), { 'a.md': 'same', 'b.md': 'same', 'c/d.md': 'new' });
      await build({ sources, cache: `${cache}-whole` });
      const caches = { old: snapshot(cache), new: snapshot(`${cache}-whole`), none: undefined };
      const killed = spawnSync(process.execPath, [BUILD_UNTIL, sources, cache, step]);
      expect(killed.signal).toBe('SIGKILL');
      expect(existsSync(cache) ? snapshot(cache) : undefined).toEqual(caches[left]);
      // Even a next build that fails brings back what was moved aside.
      const bad = writeFiles(join(folder, 'bad-sources'), { 'a.md': Uint8Array.of(0xff) });
      await expect(build({ sources: bad, cache, force: true })).rejects.toMatchObject({ code: 'io_error' });
      expect(snapshot(cache)).toEqual(caches[left === 'none' ? 'old' : left]);
      await build({ sources, cache, force: true });
      expect(snapshot(cache)).toEqual(caches.new);
      expect(readdirSync(folder).filter((name) => name.startsWith('.bindery-'))).toEqual([]);
    }),
);

test(
  '[context:Z8] a build that is killed at any moment leaves the old cache or none, never half a one',
  () =>
    inFolder(async (folder) => {
      const cache = await buildFrom(folder, { 'a.md': 'old' });
      const old = snapshot(cache);
      const sources = writeFiles(join(folder, 'new-sources'), SOURCES);
      const build = ['build', '--sources', sources, '--cache', cache, '--force'];
      const started = Date.now();
      expect(await killedAfter([...build.slice(0, 4), `${cache}-timed`], 60_000)).toBe(0);
      const wholeMs = Date.now() - started;
      const whole = snapshot(`${cache}-timed`);
      for (let round = 0; round < ROUNDS; round++) {
        // Every round another part of the whole time: from before the first byte to about the last.
        await killedAfter(build, (wholeMs * (round + 1)) / (ROUNDS + 1));
        const left = readdirSync(folder).includes('cache') ? snapshot(cache) : undefined;
        const isOld = JSON.stringify(left) === JSON.stringify(old);
        const isNew = JSON.stringify(left) === JSON.stringify(whole);
        expect(left === undefined || isOld || isNew).toBe(true);
        if (isNew) break;
      }
      expect((await runContext(...build)).exitCode).toBe(0);
      expect(snapshot(cache)).toEqual(whole);
      expect((await runContext('verify', '--cache', cache)).exitCode).toBe(0);
      expect(readdirSync(folder).filter((name) => name.startsWith('.bindery-'))).toEqual([]);
    }),
  120_000,
);
