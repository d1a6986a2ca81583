import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMemoryLog } from '../../contract/testing/memory-log.ts';
import { ApprovalStore } from '../../store/approvals/approval-store.ts';
import { KeyStore } from '../../store/keys/key-store.ts';
import { openDatabase } from '../../store/open-database.ts';
import { RegistryCopy } from '../../store/postgres/shared/registry-copy.ts';
import { shipChanges } from '../../store/postgres/shared/ship-changes.ts';
import { MemoryRows } from '../../store/postgres/shared/testing/memory-rows.ts';
import { RegisteredServers } from '../../store/registry/registered-servers.ts';
import { RegistryStore } from '../../store/registry/registry-store.ts';
import type { Upstream } from '../../wire/upstream.ts';
import type { ServerPlace } from './pinned-offers.ts';
import { ServerCatalogue } from './server-catalogue.ts';

const NODES = 3;
const ENDPOINT = 'http://127.0.0.1:1/mcp';
const upstream = { transport: 'http', era: '2026', protocolVersion: '2026-07-28', capabilities: { tools: {} } };
const listed = (variant: number) => ({
  tools: [
    { name: 'echo', description: `Variant ${variant}.`, inputSchema: { type: 'object' } },
    { name: 'same', description: 'As every server has it.', inputSchema: { type: 'object' } },
  ],
  resources: [],
  resourceTemplates: [],
  prompts: [],
});

/** One node, as far as it knows servers: its registry, what it has of others, and what its config says. */
class Node {
  readonly #file: string;
  readonly database: DatabaseSync;
  readonly registered: RegisteredServers;
  readonly catalogue: ServerCatalogue;
  readonly copy: RegistryCopy;
  readonly #rows: MemoryRows;
  #places = new Map<string, ServerPlace>();

  constructor(dir: string, name: string, rows: MemoryRows) {
    this.#file = join(dir, `${name}.db`);
    this.#rows = rows;
    this.database = openDatabase(this.#file);
    const registry = new RegistryStore(this.database);
    this.registered = new RegisteredServers(this.database);
    new KeyStore(this.database, { now: Date.now });
    new ApprovalStore(this.database);
    this.catalogue = new ServerCatalogue({
      registry,
      database: this.database,
      log: createMemoryLog(),
      clock: { now: () => 0 },
      placeOf: (server) => this.#places.get(server),
      asksPerson: () => false,
    });
    this.copy = new RegistryCopy(this.#file);
    this.copy.begin('memory');
  }

  registrationOf(server: string): string | undefined {
    return this.#places.get(server)?.registration;
  }

  /** What a gateway does when its registry has changed. */
  refresh(): void {
    const place = { pinned: false, quarantined: true, endpoint: ENDPOINT };
    this.#places = new Map(
      this.registered.list().map(({ manifest, registration }) => [manifest.name, { ...place, registration }]),
    );
    this.catalogue.reload();
    this.catalogue.configure();
  }

  async ship(): Promise<void> {
    const taken = await shipChanges(this.copy, this.#rows, 4);
    if (taken && taken.length > 0) this.refresh();
  }

  async shipAll(): Promise<void> {
    while (this.copy.unshipped(1).length > 0) await this.ship();
  }

  async pull(): Promise<void> {
    const rows = await this.#rows.since(this.copy.state?.version ?? 0);
    this.copy.apply(rows);
    if (rows.length > 0) this.refresh();
  }

  register(name: string): void {
    const manifest = { name, endpoint: ENDPOINT, transport: 'http' } as const;
    if (!this.registered.add(manifest, { name: 'admin', isAdmin: true }, '2026-10-01T12:00:00.000Z')) return;
    this.catalogue.forget(name);
    this.refresh();
  }

  remove(name: string): void {
    if (!this.registered.remove(name)) return;
    this.catalogue.forget(name);
    this.refresh();
  }

  /** Changes the registration without making it another one. */
  toggle(name: string): void {
    const found = this.registered.list().find(({ manifest }) => manifest.name === name);
    this.registered.setEnabled(name, !found?.enabled);
  }

  learn(name: string, variant: number): void {
    this.catalogue.learn(name, upstream as unknown as Upstream, listed(variant) as never);
  }

  /** The tools that this node serves. */
  tools(name: string): { readonly id: string; readonly isUsed: boolean }[] {
    const offer = this.#places.has(name) ? this.catalogue.offer(name) : undefined;
    return (offer?.tools ?? []).map(({ definition, sha256, status }) => ({
      id: `${offer?.registration} ${definition.name} ${sha256}`,
      isUsed: status === 'active',
    }));
  }

  table(name: string): Record<string, unknown>[] {
    const sql =
      'SELECT original_name, definition_sha256, status, registration FROM tool_registry WHERE server_name = ?';
    return this.database.prepare(`${sql} ORDER BY 1`).all(name);
  }

  close(): void {
    this.catalogue.end();
    this.copy.close();
    this.database.close();
  }
}

/** What people said, and nothing else: the naive model. */
class Person {
  readonly accepted = new Set<string>();

  /** Accepts all that a node shows of a server. */
  accept(node: Node, name: string): void {
    const offer = node.catalogue.offer(name);
    if (!offer) return;
    const seen = offer.tools.map(({ definition, sha256 }) => ({ tool: definition.name, sha256 }));
    if (!node.catalogue.accept(name, seen)) return;
    for (const { id } of node.tools(name)) this.accepted.add(id);
  }
}

const dir = mkdtempSync(join(tmpdir(), 'bindery-nodes-'));
const rows = new MemoryRows();
let nodes: Node[] = [];

beforeAll(() => {
  nodes = Array.from({ length: NODES }, (_, index) => new Node(dir, `node-${index}`, rows));
});
afterAll(() => {
  for (const node of nodes) node.close();
  rmSync(dir, { recursive: true, force: true });
});

async function settle(): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    for (const node of nodes) await node.shipAll();
    for (const node of nodes) await node.pull();
  }
}

/** Nothing is used that no person accepted of this very registration. */
function expectNothingUnaccepted(name: string, { accepted }: Person): void {
  for (const node of nodes) {
    const used = node.tools(name).filter(({ isUsed }) => isUsed);
    expect(used.filter(({ id }) => !accepted.has(id))).toEqual([]);
    expect(used.filter(({ id }) => !id.startsWith(`${node.registrationOf(name)} `))).toEqual([]);
  }
}

const act = fc.record({
  node: fc.nat(NODES - 1),
  kind: fc.constantFrom(
    ...['learn', 'learn', 'learn', 'accept', 'accept', 'remove', 'register', 'toggle', 'ship', 'ship', 'pull'],
  ),
  variant: fc.nat(2),
});
let count = 0;

test('whatever nodes learn, accept, remove and register again, and however late they hear of each other, only what a person accepted of this registration is used, and no acceptance is lost [gateway:QUARANTINE] [gateway:L4]', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 40 }), async (acts) => {
      count += 1;
      const name = `s${count}`;
      const person = new Person();
      nodes[0]?.register(name);
      if (count % 2 === 0) await settle();
      for (const { node: index, kind, variant } of acts) {
        const node = nodes[index] as Node;
        if (kind === 'learn') node.learn(name, variant);
        else if (kind === 'accept') person.accept(node, name);
        else if (kind === 'remove') node.remove(name);
        else if (kind === 'register') node.register(name);
        else if (kind === 'toggle') node.toggle(name);
        else if (kind === 'ship') await node.ship();
        else await node.pull();
        expectNothingUnaccepted(name, person);
      }
      await settle();
      await expectAgreement(name, person);
    }),
    { numRuns: 60 },
  );
});

/** Afterwards all nodes know one registration, and use exactly what people accepted of it, whoever shows it to them. */
async function expectAgreement(name: string, person: Person): Promise<void> {
  const [registration, ...others] = nodes.map((node) => node.registrationOf(name));
  expect(others).toEqual(others.map(() => registration));
  const left = (await rows.since(0)).filter(
    ({ part, content }) =>
      part !== 'registered_servers' && [content?.name, content?.server, content?.server_name].includes(name),
  );
  expect(left.filter(({ content }) => content?.registration !== registration)).toEqual([]);
  for (const node of nodes) expectJudged(node, name, person);
  expect(nodes.map((node) => node.tools(name))).toEqual(nodes.map(() => nodes[0]?.tools(name)));
  for (const variant of registration === undefined ? [] : [0, 1, 2]) {
    for (const node of nodes) node.learn(name, variant);
    await settle();
    for (const node of nodes) {
      expectJudged(node, name, person);
      expect([node.tools(name).length, node.table(name)]).toEqual([2, nodes[0]?.table(name)]);
    }
  }
}

/** What a node uses is what people accepted, and the table of tools says the same of the definitions that are offered. */
function expectJudged(node: Node, name: string, { accepted }: Person): void {
  const tools = node.tools(name);
  expect(tools.map(({ isUsed }) => isUsed)).toEqual(tools.map(({ id }) => accepted.has(id)));
  const offered = new Set(tools.map(({ id }) => id));
  for (const row of node.table(name)) {
    const id = `${row.registration} ${row.original_name} ${row.definition_sha256}`;
    if (offered.has(id)) expect([id, row.status === 'active']).toEqual([id, accepted.has(id)]);
  }
}
