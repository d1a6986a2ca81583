import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { createProgram } from '../../src/cli/main.ts';
import { Terminal } from '../../src/cli/terminal.ts';
import { root } from '../support/repository.ts';

const file = (name: string) => readFileSync(join(root, 'deploy', name), 'utf8');
const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
const up = createProgram(new Terminal(streams, new AbortController().signal)).commands.find(
  (command) => command.name() === 'up',
);

/** The words of `bindery up` that are no options of it. */
function unknownFlags([command, ...words]: readonly string[]): string[] {
  expect(command).toBe('up');
  const known = up?.options.map(({ long }) => long) ?? [];
  return words.filter((word) => word.startsWith('--') && !known.includes(word.split('=')[0] as string));
}

test('the image runs as a user that is not root, says how it is, and starts with options that there are', () => {
  const lines = file('Containerfile').split('\n');
  const last = (name: string) => lines.findLast((line) => line.startsWith(name))?.slice(name.length + 1) ?? '';
  expect(last('USER')).toBe('node');
  expect(last('ENTRYPOINT')).toBe('["bindery"]');
  expect(unknownFlags(JSON.parse(last('CMD')))).toEqual([]);
  const [, check = ''] = /^ {2}CMD (\[.*\])$/m.exec(file('Containerfile')) ?? [];
  const [program, flag, script] = JSON.parse(check) as string[];
  expect([program, flag]).toEqual(['node', '-e']);
  // It is a program that Node can read.
  expect(() => new Function(script as string)).not.toThrow();
});

test('compose names services, volumes and options that there are, and no secret', () => {
  const { services, volumes } = parse(file('compose.yaml')) as {
    services: Record<string, { command?: string[]; depends_on?: object | string[]; volumes?: string[] }>;
    volumes: Record<string, unknown>;
  };
  expect(Object.keys(services)).toEqual(['postgres', 'bindery', 'nginx']);
  expect(unknownFlags(services.bindery?.command ?? [])).toEqual([]);
  const needed = Object.values(services).flatMap(({ depends_on = [] }) =>
    Array.isArray(depends_on) ? depends_on : Object.keys(depends_on),
  );
  expect(needed.filter((name) => !Object.hasOwn(services, name))).toEqual([]);
  const mounted = Object.values(services).flatMap((service) =>
    (service.volumes ?? []).map((text) => text.split(':')[0]),
  );
  expect(mounted.filter((name) => !name?.startsWith('./') && !Object.hasOwn(volumes, name as string))).toEqual([]);
  expect(file('compose.yaml')).toMatch(/POSTGRES_PASSWORD: \$\{POSTGRES_PASSWORD:\?/);
});

test('the Kubernetes example holds together: names, labels, ports, volumes and options', () => {
  const documents = parseAllDocuments(file('kubernetes.yaml')).map((one) => one.toJS());
  expect(documents.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual([
    'v1 PersistentVolumeClaim',
    'apps/v1 StatefulSet',
    'v1 Service',
  ]);
  const [claim, set, service] = documents;
  const { template, selector } = set.spec;
  const [container] = template.spec.containers;
  expect([selector.matchLabels, service.spec.selector]).toEqual([template.metadata.labels, template.metadata.labels]);
  expect(unknownFlags(container.args)).toEqual([]);
  const ports = container.ports.map(({ name }: { name: string }) => name);
  expect([container.readinessProbe.httpGet.port, container.livenessProbe.httpGet.port]).toEqual([ports[0], ports[0]]);
  expect(service.spec.ports[0].targetPort).toBe(ports[0]);
  const volumes = template.spec.volumes.map(({ name }: { name: string }) => name);
  expect(container.volumeMounts.map(({ name }: { name: string }) => name)).toEqual(volumes);
  expect(template.spec.volumes[0].persistentVolumeClaim.claimName).toBe(claim.metadata.name);
  expect(template.spec.securityContext.runAsNonRoot).toBe(true);
});

test('the units start commands that there are, and end before systemd kills them', () => {
  for (const name of ['systemd/bindery.service', 'systemd/user/bindery.service']) {
    const [, command = ''] = /^ExecStart=\/usr\/bin\/env bindery (.*)$/m.exec(file(name)) ?? [];
    expect(unknownFlags(command.split(' '))).toEqual([]);
    expect(file(name)).toContain('TimeoutStopSec=30');
  }
});
