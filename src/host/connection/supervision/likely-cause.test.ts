import { expect, test } from 'vitest';
import { likelyCause, withLikelyCause } from './likely-cause.ts';

test.each([
  ['npm error code SELF_SIGNED_CERT_IN_CHAIN', 'certificate of its own'],
  ['ssl.SSLCertVerificationError: [SSL: CERTIFICATE_VERIFY_FAILED]', 'certificate of its own'],
  ['npm error code E404\nnpm error 404 Not Found', 'does not exist under this name'],
  ['npm error code ENOTFOUND', 'could not be resolved'],
  ["Error: Cannot find module 'x'", 'not installed'],
  ["Error: Cannot find module '/nope/server.js'\n    at Module._resolveFilename (node:internal:1:2)", 'does not exist'],
  ["python3: can't open file '/nope.py': [Errno 2] No such file or directory", 'does not exist'],
  ['Error: GITHUB_TOKEN is required', 'needs a variable'],
  ['Please set API_KEY', 'needs a variable'],
])('%j is explained', (stderr, words) => {
  expect(likelyCause('the server exited with code 1', stderr)).toContain(words);
});

test('an unknown message is unchanged', () => {
  expect(withLikelyCause('the server exited with code 1', 'bye')).toBe('the server exited with code 1');
});

test('the likely cause is appended for a process; for other servers nothing is guessed', () => {
  expect([
    withLikelyCause('exited', 'ENOSPC'),
    withLikelyCause('ENOSPC', ''),
    withLikelyCause('ENOSPC', undefined),
    likelyCause('ENOSPC', undefined),
  ]).toEqual([
    'exited. Likely cause: the disk is full',
    'ENOSPC. Likely cause: the disk is full',
    'ENOSPC',
    'the disk is full',
  ]);
});

test('an untrusted certificate is explained for every server', () => {
  expect(withLikelyCause('the server cannot be reached (DEPTH_ZERO_SELF_SIGNED_CERT)', undefined)).toContain(
    'set NODE_EXTRA_CA_CERTS',
  );
});
