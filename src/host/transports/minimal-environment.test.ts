import { expect, test } from 'vitest';
import { minimalEnvironment } from './minimal-environment.ts';

test('a child gets the short list and its own variables; its own win', () => {
  const parent = { PATH: '/bin', HOME: '/home/a', AWS_SECRET_ACCESS_KEY: 'x', SHELL: '() { evil; }', LANG: undefined };
  expect(minimalEnvironment(parent, { HOME: '/srv', TOKEN: 't' }, 'linux')).toEqual({
    PATH: '/bin',
    HOME: '/srv',
    TOKEN: 't',
  });
});

test('Windows names are compared without case, and kept as they are', () => {
  const parent = { Path: 'C:\\', SystemRoot: 'C:\\Windows', Secret: 'x', HOME: 'C:\\me' };
  expect(minimalEnvironment(parent, { PATH: 'D:\\' }, 'win32')).toEqual({ SystemRoot: 'C:\\Windows', PATH: 'D:\\' });
});

test('certificates, proxies, locale and settings of npm reach a child; credentials do not', () => {
  const parent = {
    ...{ NODE_EXTRA_CA_CERTS: '/ca.pem', SSL_CERT_FILE: '/ca.pem', HTTPS_PROXY: 'http://proxy', no_proxy: 'localhost' },
    ...{ LC_TIME: 'C', TEMP: '/t', npm_config_registry: 'https://r', NPM_CONFIG_CAFILE: '/ca.pem' },
  };
  const secrets = { npm_config__authToken: 'x', NPM_TOKEN: 'x', GITHUB_TOKEN: 'x', npm_config__password: 'x' };
  expect(minimalEnvironment({ ...parent, ...secrets }, {}, 'linux')).toEqual(parent);
});

test('under npm, lower-case settings may come from a project and are left out; those in capitals are kept', () => {
  const parent = { npm_command: 'exec', npm_config_registry: 'https://evil', NPM_CONFIG_REGISTRY: 'https://mine' };
  expect(minimalEnvironment(parent, {}, 'linux')).toEqual({ NPM_CONFIG_REGISTRY: 'https://mine' });
});
