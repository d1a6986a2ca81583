import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { replayStore } from '../../src/civic/lifecycle/replay-store.ts';
import { createForge, FORGE_KINDS, type ForgeSettings } from '../../src/cli/rooms/civic-forge.ts';
import { gitProposals } from '../../src/cli/rooms/civic-proposals.ts';
import { look } from '../../src/store/civic/testing/look.ts';
import { address, ROUTES, request } from '../../src/store/civic/testing/requests.ts';
import {
  createWriteRoom,
  DAY,
  type WriteRoom,
  type WriteRoomOptions,
} from '../../src/store/civic/testing/write-room.ts';
import { GitRemote } from '../../src/store/corpus/git-remote.ts';

let room: WriteRoom;
let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'civic-git-'));
});
afterEach(async () => {
  expect([replayStore(room.deps.store).equal, room.deps.store.intents(), git('status', '--porcelain')]).toEqual([
    true,
    [],
    '',
  ]);
  await room.close();
  rmSync(scratch, { recursive: true, force: true });
});

const { file, state } = look(() => room);
const open = async (options: WriteRoomOptions = {}) => {
  room = await createWriteRoom({ git: true, ...options });
};
const git = (...args: string[]) =>
  execFileSync('git', ['-C', room.corpusDir, '-c', 'user.name=keeper', '-c', 'user.email=keeper@localhost', ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
const queue = async () => (await room.review('/api/review')).body.items;
const statusOf = async (session: string) =>
  (await room.get(`/api/submissions?session_id=${session}`)).body.submissions[0];

const PRIORITY = {
  target_type: 'path_source',
  target_id: 'sample-portal:web',
  content: {
    amendment_subtype: 'frontmatter_change',
    frontmatter_change: { field_path: 'priority', proposed_value: 20 },
  },
  rationale: 'The portal is quicker now.',
};
const SUPERSEDES = {
  target_id: 'sample-marriage',
  content: {
    amendment_subtype: 'frontmatter_change',
    frontmatter_change: { field_path: 'verification_notes', proposed_value: 'See https://elsewhere.example.net/x' },
  },
  rationale: 'Where it was checked.',
};

describe('commits', () => {
  test('a decision that git keeps out of the folder says so, and is written when the lock is gone', async () => {
    await open();
    await room.post(ROUTES.amendment, request('amendment'), address(1));
    await room.wait(DAY);
    const { merges } = (await room.review('/api/review/merges')).body;
    const lock = join(room.corpusDir, '.git', 'index.lock');
    writeFileSync(lock, '');
    const locked = await room.review(`/api/review/merges/${merges[0].submission_id}/revert`, {});
    rmSync(lock);
    await room.deps.writer.settle();
    expect([locked.status, locked.body.warning, git('log', '-1', '--format=%s')]).toEqual([
      200,
      'The decision is stored, but the corpus folder is not written yet. The corpus folder cannot be used: another program works in the repository (.git/index.lock). Wait until it is done. If no git runs, remove .git/index.lock. A running server tries again every minute, and each start does.',
      'Revert "sample-move: The form must be signed"',
    ]);
  });

  test('each merge is one commit with the words of its sender, its evidence and the smallest diff; each can be reverted', async () => {
    await open();
    const words = await room.post(ROUTES.amendment, request('amendment'), address(1));
    const value = {
      target_type: 'volatile_value',
      target_id: 'val-01',
      content: { amendment_subtype: 'value_change', value_change: { proposed_value: '30' } },
      rationale: 'The fee is 30 euro since July. The desk shows the new list of fees beside the door.',
    };
    await room.post(ROUTES.amendment, request('amendment', value), address(2));
    await room.post(ROUTES.amendment, request('amendment', PRIORITY), address(3));
    const before = ['skills/sample-move/canonical.md', 'catalogue/values.yaml', 'paths/sample-portal.yaml'].map(file);
    await room.wait(DAY);
    const log = git('log', '--reverse', '--format=%an <%ae>%n%B', '--patch', '-U0', '--skip=0', 'HEAD~3..HEAD');
    const changed = log.split('\n').filter((line) => /^[-+](?!-- a\/|\+\+ b\/)/.test(line));
    expect(changed).toEqual([
      '-version: 1.0.0',
      '+version: 1.1.0',
      '-Bring the form.',
      '+Bring the signed form.',
      '-- { uid: val-01, name: fee, value: "25", unit: EUR, status: alpha, version: 1.0.0, last_verified: 2026-01-01 }',
      '+- { uid: val-01, name: fee, value: "30", unit: EUR, status: alpha, version: 1.1.0, last_verified: 2026-01-01 }',
      '-version: 1.0.0',
      '+version: 1.1.0',
      '-    priority: 10',
      '+    priority: 20',
    ]);
    expect(git('log', '-1', '--skip=2', '--format=%an%n%B')).toBe(`bindery-civic
sample-move: The form must be signed

Evidence: https://law.example.org/2
Submission: ${words.body.submission_id}
Reviewed: no objection while it was staged
Change: merge skill sample-move 1.1.0`);
    expect(git('log', '-1', '--skip=1', '--format=%(trailers:key=Submission,valueonly)').startsWith('sub_')).toBe(true);
    const { merges } = (await room.review('/api/review/merges')).body;
    for (const { submission_id } of merges) await room.review(`/api/review/merges/${submission_id}/revert`, {});
    const after = ['skills/sample-move/canonical.md', 'catalogue/values.yaml', 'paths/sample-portal.yaml'].map(file);
    expect(after).toEqual([
      before[0]?.replace('version: 1.0.0', 'version: 1.2.0'),
      before[1]?.replace('version: 1.0.0', 'version: 1.2.0'),
      before[2]?.replace('version: 1.0.0', 'version: 1.2.0'),
    ]);
    expect(git('log', '-1', '--format=%B')).toBe(`Revert "sample-move: The form must be signed"

Reverts: ${words.body.submission_id}
Change: revert skill sample-move 1.2.0`);
  });

  test('are signed where that is asked for', async () => {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'civic', '-f', join(scratch, 'key')]);
    const key = readFileSync(join(scratch, 'key.pub'), 'utf8').split(' ').slice(0, 2).join(' ');
    writeFileSync(join(scratch, 'allowed'), `civic@localhost ${key}\n`);
    await open({ sign: true });
    git('config', 'gpg.format', 'ssh');
    git('config', 'user.signingkey', join(scratch, 'key'));
    git('config', 'gpg.ssh.allowedSignersFile', join(scratch, 'allowed'));
    await room.post(ROUTES.amendment, request('amendment'), address(1));
    await room.wait(DAY);
    expect(git('log', '-1', '--format=%G? %GS')).toBe('G civic@localhost');
  });

  test('a lock that a killed git left does not stop them', async () => {
    await open();
    const lock = join(room.corpusDir, '.git', 'index.lock');
    writeFileSync(lock, '');
    execFileSync('touch', ['-d', '2 minutes ago', lock]);
    await room.post(ROUTES.amendment, request('amendment'), address(1));
    await room.wait(DAY);
    expect(git('log', '-1', '--format=%s')).toBe('sample-move: The form must be signed');
  });

  test('are pushed, and what was merged elsewhere is taken over', async () => {
    const bare = join(scratch, 'bare.git');
    execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare]);
    await open({
      settings: (dir) => {
        const remote = new GitRemote(dir, 'origin');
        return { publish: () => remote.synchronise() };
      },
    });
    git('remote', 'add', 'origin', bare);
    await room.post(ROUTES.amendment, request('amendment'), address(1));
    await room.wait(DAY);
    const pushed = execFileSync('git', ['-C', bare, 'log', '-1', '--format=%s', 'main'], { encoding: 'utf8' }).trim();
    const clone = join(scratch, 'clone');
    execFileSync('git', ['clone', '--quiet', bare, clone]);
    const path = join(clone, 'skills/sample-birth/canonical.md');
    writeFileSync(path, readFileSync(path, 'utf8').replace('Bring the card.', 'Bring both cards.'));
    execFileSync('git', [
      '-C',
      clone,
      '-c',
      'user.name=k',
      '-c',
      'user.email=k@localhost',
      'commit',
      '--quiet',
      '--all',
      '--message',
      'Both cards',
    ]);
    execFileSync('git', ['-C', clone, 'push', '--quiet']);
    await room.wait(60_000);
    expect([pushed, file('skills/sample-birth/canonical.md').includes('Bring both cards.')]).toEqual([
      'sample-move: The form must be signed',
      true,
    ]);
  });
});

describe('branches', () => {
  const withBranches = () => open({ settings: (dir) => ({ proposals: gitProposals({ dir }) }) });

  test('a draft and a held amendment become branches with one commit each; the corpus stays as it is', async () => {
    await withBranches();
    const head = git('rev-parse', 'HEAD');
    await room.post(ROUTES.draft, request('draft'), address(1));
    await room.post(ROUTES.amendment, request('amendment', SUPERSEDES), address(2));
    await room.wait(DAY);
    const branches = git('for-each-ref', '--format=%(refname:short)', 'refs/heads/civic').split('\n');
    const subjects = branches.map((branch) => git('log', '--format=%s', `main..${branch}`));
    const claims = branches.map((branch) => git('log', '--format=%(trailers:key=Reviewed)', `main..${branch}`));
    expect([claims, git('rev-parse', 'HEAD') === head, branches.length, subjects.sort()]).toEqual([
      ['', ''],
      true,
      2,
      ['sample-marriage: Where it was checked', 'sample-new: Add a sample'],
    ]);
  });

  test('merging one with git settles its item, and the merge can be reverted', async () => {
    await withBranches();
    const draft = request('draft');
    const amendment = request('amendment', SUPERSEDES);
    await room.post(ROUTES.draft, draft, address(1));
    await room.post(ROUTES.amendment, amendment, address(2));
    await room.wait(DAY);
    const before = file('skills/sample-marriage/canonical.md');
    for (const branch of git('for-each-ref', '--format=%(refname:short)', 'refs/heads/civic').split('\n')) {
      git('merge', '--quiet', '--no-edit', branch);
    }
    await room.wait(60_000);
    const seen = [await statusOf(draft.session_id), await statusOf(amendment.session_id)].map(({ status, review }) => [
      status,
      review?.decision,
    ]);
    const left = git('for-each-ref', '--format=%(refname:short)', 'refs/heads/civic');
    expect([seen, (await queue()).length, left, state('skill', 'sample-new')]).toEqual([
      [
        ['merged', 'accept'],
        ['merged', 'accept'],
      ],
      0,
      '',
      'alpha',
    ]);
    const { merges } = (await room.review('/api/review/merges')).body;
    await room.review(`/api/review/merges/${merges[0].submission_id}/revert`, {});
    expect(file('skills/sample-marriage/canonical.md')).toBe(before.replace('version: 1.0.0', 'version: 1.2.0'));
  });

  test('are signed where commits are, and one whose text was squashed into the corpus is accepted', async () => {
    const key = join(scratch, 'branch-key');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    await open({ sign: true, settings: (dir) => ({ proposals: gitProposals({ dir, sign: true }) }) });
    git('config', 'gpg.format', 'ssh');
    git('config', 'user.signingkey', key);
    const amendment = request('amendment', SUPERSEDES);
    await room.post(ROUTES.amendment, amendment, address(2));
    await room.wait(DAY);
    const branch = git('for-each-ref', '--format=%(refname:short)', 'refs/heads/civic');
    const isSigned = git('cat-file', 'commit', branch).includes('BEGIN SSH SIGNATURE');
    git('merge', '--quiet', '--squash', branch);
    git('-c', 'user.name=k', '-c', 'user.email=k@localhost', 'commit', '--quiet', '--message', 'Squashed');
    await room.wait(60_000);
    const { status, review } = await statusOf(amendment.session_id);
    expect([isSigned, status, review?.decision, (await queue()).length]).toEqual([true, 'merged', 'accept', 0]);
  });

  test('removing one at the remote rejects its item; one that was never pushed waits on', async () => {
    const bare = join(scratch, 'bare.git');
    execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare]);
    let remote: GitRemote | undefined;
    await open({
      settings: (dir) => ({
        proposals: {
          pull: () => gitProposals({ dir, remote }).pull(),
          open: (...args) => gitProposals({ dir, remote }).open(...args),
          close: (one) => gitProposals({ dir, remote }).close(one),
          state: async (one) => {
            const port = gitProposals({ dir, remote });
            await port.pull();
            return port.state(one);
          },
        },
      }),
    });
    git('remote', 'add', 'origin', bare);
    git('push', '--quiet', 'origin', 'main');
    const [early, late] = [request('draft'), request('amendment', SUPERSEDES)];
    await room.post(ROUTES.draft, early, address(1));
    await room.wait(DAY);
    // From here on there is a remote.
    remote = new GitRemote(room.corpusDir, 'origin');
    await room.post(ROUTES.amendment, late, address(2));
    await room.wait(DAY);
    const pushed = git('ls-remote', 'origin', 'refs/heads/civic/*').split('\t')[1] as string;
    await room.wait(60_000);
    const before = (await statusOf(late.session_id)).status;
    git('push', '--quiet', 'origin', `:${pushed}`);
    await room.wait(60_000);
    const after = [(await statusOf(late.session_id)).status, (await statusOf(early.session_id)).status];
    expect([before, after, git('for-each-ref', 'refs/heads/civic').split('\n').length]).toEqual([
      'held_ner',
      ['rejected', 'committed'],
      1,
    ]);
  });

  test('deciding here removes the branch; removing the branch rejects', async () => {
    await withBranches();
    const draft = request('draft');
    const amendment = request('amendment', SUPERSEDES);
    await room.post(ROUTES.draft, draft, address(1));
    await room.post(ROUTES.amendment, amendment, address(2));
    await room.wait(DAY);
    const items = await queue();
    const review = items.find((item: { class: string }) => item.class === 'draft_review');
    const held = items.find((item: { class: string }) => item.class === 'amendment_review');
    await room.review(`/api/review/${review.queue_id}`, { decision: 'accept' });
    git('branch', '--quiet', '-D', `civic/${held.submission_id}`);
    await room.wait(60_000);
    expect([
      git('for-each-ref', 'refs/heads/civic'),
      (await statusOf(draft.session_id)).status,
      (await statusOf(amendment.session_id)).status,
    ]).toEqual(['', 'merged', 'rejected']);
  });
});

describe.each(FORGE_KINDS)('requests to merge at a forge like %s', (kind) => {
  let forge: Server;
  let requests: Map<number, Record<string, unknown>>;
  let asked: string[];
  afterEach(() => forge.close());

  test('are opened for what waits, settle it when they are merged or closed there, and are closed when it is decided here', async () => {
    const bare = join(scratch, 'bare.git');
    execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', bare]);
    await startForge();
    const url = `http://127.0.0.1:${(forge.address() as AddressInfo).port}`;
    const settings: ForgeSettings = { kind, url, repository: 'town/corpus', base: 'main' };
    await open({
      settings: (dir) => {
        const remote = new GitRemote(dir, 'origin');
        return {
          proposals: gitProposals({ dir, remote, forge: createForge(settings, 'secret-token') }),
          publish: () => remote.push(),
        };
      },
    });
    git('remote', 'add', 'origin', bare);
    git('push', '--quiet', 'origin', 'main');
    const sent = ['one', 'two', 'three'].map((name) => request('draft', { proposed_id: `sample-${name}` }));
    for (const [index, draft] of sent.entries()) await room.post(ROUTES.draft, draft, address(index));
    await room.wait(DAY);
    const opened = [...requests.values()].map((one) => one.title);
    const bareGit = (...args: string[]) => execFileSync('git', ['-C', bare, ...args], { encoding: 'utf8' }).trim();
    const branches = bareGit('for-each-ref', '--format=%(refname:short)', 'refs/heads/civic').split('\n').length;
    // The first is merged there, by a squash that leaves the branch no ancestor; the second is closed; the third is decided here.
    const [first, second, third] = [...requests.values()] as [
      Record<string, unknown>,
      Record<string, unknown>,
      Record<string, unknown>,
    ];
    squash(bare, String(first.branch));
    Object.assign(first, kind === 'gitlab' ? { state: 'merged' } : { state: 'closed', merged: true });
    Object.assign(second, { state: 'closed' });
    const items = await queue();
    const item = items.find((one: { submission_id: string }) => third.branch === `civic/${one.submission_id}`);
    await room.review(`/api/review/${item.queue_id}`, { decision: 'accept', reason: 'Thank you.' });
    await room.wait(60_000);
    const byBranch = new Map<string, string>();
    for (const draft of sent) {
      const { submission_id, status } = await statusOf(draft.session_id);
      byBranch.set(`civic/${submission_id}`, status);
    }
    expect([
      opened.sort(),
      branches,
      [first, second, third].map((one) => byBranch.get(String(one.branch))),
      third.state,
      bareGit('for-each-ref', 'refs/heads/civic'),
      asked.every((line) => line.includes('secret-token')),
    ]).toEqual([
      ['sample-one: Add a sample', 'sample-three: Add a sample', 'sample-two: Add a sample'],
      3,
      ['merged', 'rejected', 'merged'],
      'closed',
      '',
      true,
    ]);
  });

  function squash(bare: string, branch: string): void {
    const clone = mkdtempSync(join(scratch, 'clone-'));
    const run = (...args: string[]) =>
      execFileSync('git', ['-C', clone, '-c', 'user.name=k', '-c', 'user.email=k@localhost', ...args], {
        stdio: 'ignore',
      });
    execFileSync('git', ['clone', '--quiet', bare, clone]);
    run('merge', '--quiet', '--squash', `origin/${branch}`);
    run('commit', '--quiet', '--message', 'Squashed');
    run('push', '--quiet', 'origin', 'HEAD:main');
    run('push', '--quiet', 'origin', `:${branch}`);
  }

  /** A server that speaks the shapes of this forge. */
  async function startForge(): Promise<void> {
    requests = new Map();
    asked = [];
    const path = {
      github: '/repos/town/corpus/pulls',
      gitea: '/api/v1/repos/town/corpus/pulls',
      gitlab: '/api/v4/projects/town%2Fcorpus/merge_requests',
    }[kind];
    forge = createServer(async (incoming, response) => {
      let text = '';
      for await (const part of incoming) text += part;
      const body = text === '' ? {} : JSON.parse(text);
      asked.push(`${incoming.method} ${incoming.headers.authorization ?? incoming.headers['private-token']}`);
      const number = Number(incoming.url?.slice(path.length + 1));
      const answer = (status: number, value: unknown) => response.writeHead(status).end(JSON.stringify(value));
      if (!incoming.url?.startsWith(path)) return answer(404, {});
      if (incoming.method === 'POST') {
        const id = requests.size + 1;
        const names =
          kind === 'gitlab'
            ? { iid: id, web_url: `http://forge/${id}` }
            : { number: id, html_url: `http://forge/${id}`, merged: false };
        const opened = {
          ...names,
          state: kind === 'gitlab' ? 'opened' : 'open',
          title: body.title,
          branch: body.head ?? body.source_branch,
        };
        requests.set(id, opened);
        return answer(201, opened);
      }
      const known = requests.get(number);
      if (!known) return answer(404, {});
      if (incoming.method !== 'GET' && (body.state === 'closed' || body.state_event === 'close'))
        known.state = 'closed';
      answer(200, known);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => forge.once('listening', resolve));
  }
});
