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

test('what git does not keep stays out of the image, too', () => {
  const lines = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const plain = (line: string) => line.replace(/^\*\*\//, '').replace(/\/$/, '');
  const ignored = lines(file('Containerfile.dockerignore')).map(plain);
  const untracked = lines(readFileSync(join(root, '.gitignore'), 'utf8')).map(plain);
  expect(untracked.filter((name) => !ignored.includes(name))).toEqual([]);
  // Docker finds the file by this name only; the other commands name it.
  const named = [file('Containerfile'), file('README.md')].map((text) => /--ignorefile (\S+)/.exec(text)?.[1]);
  expect(named).toEqual(['deploy/Containerfile.dockerignore', 'deploy/Containerfile.dockerignore']);
});

/** Members that the schemas of compose and Kubernetes have, of those objects that are used here. */
const MEMBERS: Readonly<Record<string, string>> = {
  compose: 'services secrets volumes',
  service:
    'image build environment volumes healthcheck restart command depends_on read_only tmpfs cap_drop security_opt ports secrets',
  build: 'context dockerfile',
  healthcheck: 'test interval timeout retries',
  StatefulSet: 'serviceName replicas selector template',
  pod: 'terminationGracePeriodSeconds automountServiceAccountToken securityContext containers volumes',
  podSecurity: 'runAsNonRoot runAsUser fsGroup seccompProfile',
  container: 'name image args ports readinessProbe livenessProbe resources securityContext volumeMounts',
  containerSecurity: 'allowPrivilegeEscalation readOnlyRootFilesystem capabilities',
  PersistentVolumeClaim: 'accessModes resources',
  Service: 'selector ports',
};

test('compose and Kubernetes files are strict YAML with members that their schemas have', () => {
  const read = (name: string) => {
    const documents = parseAllDocuments(file(name), { strict: true, uniqueKeys: true });
    expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
    return documents.map((one) => one.toJS());
  };
  const [compose] = read('compose.yaml');
  const [claim, set, service] = read('kubernetes.yaml');
  const pod = set.spec.template.spec;
  const [container] = pod.containers;
  const used: [string, object][] = [
    ['compose', compose],
    ...Object.values(compose.services as Record<string, object>).map((one): [string, object] => ['service', one]),
    ['build', compose.services.bindery.build],
    ['healthcheck', compose.services.postgres.healthcheck],
    ['PersistentVolumeClaim', claim.spec],
    ['StatefulSet', set.spec],
    ['pod', pod],
    ['podSecurity', pod.securityContext],
    ['container', container],
    ['containerSecurity', container.securityContext],
    ['Service', service.spec],
  ];
  const unknown = used.flatMap(([kind, value]) =>
    Object.keys(value).flatMap((name) => (MEMBERS[kind]?.split(' ').includes(name) ? [] : [`${kind}: ${name}`])),
  );
  expect(unknown).toEqual([]);
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

test('the token is in a file of the container, on no command line', () => {
  const { services, secrets } = parse(file('compose.yaml'));
  const { command, secrets: used } = services.bindery as { command: string[]; secrets: string[] };
  // A secret from a variable fails beside `read_only` (docker/compose#12031).
  expect(secrets).toEqual({ bindery_token: { file: expect.stringMatching(/^\$\{BINDERY_TOKEN_FILE:\?/) } });
  expect([used, command.slice(-2)]).toEqual([['bindery_token'], ['--token-file', '/run/secrets/bindery_token']]);
  const [, set] = parseAllDocuments(file('kubernetes.yaml')).map((one) => one.toJS());
  const { containers, volumes } = set.spec.template.spec;
  const [{ args, volumeMounts }] = containers;
  const mount = volumeMounts.find(({ name }: { name: string }) => name === 'token');
  const { secret } = volumes.find(({ name }: { name: string }) => name === 'token');
  const [, made] = /create secret generic (\w+) --from-literal=token=/.exec(file('kubernetes.yaml')) ?? [];
  expect([args.slice(-2), secret.secretName]).toEqual([['--token-file', `${mount.mountPath}/token`], made]);
  for (const name of ['compose.yaml', 'kubernetes.yaml']) expect(file(name)).not.toMatch(/--token\b(?!-file)/);
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
