import { readFileSync } from 'node:fs';
import tls from 'node:tls';
import { fileURLToPath } from 'node:url';

const file = (name: string) => fileURLToPath(new URL(`../fixtures/tls/${name}.pem`, import.meta.url));

/** Key and certificate of a server at 127.0.0.1 or below example.com, which tests reach on loopback only. */
export const exampleTls = { key: readFileSync(file('key'), 'utf8'), cert: readFileSync(file('cert'), 'utf8') };

/** Lets this process trust the certificate. */
export function trustExampleTls(): void {
  // The types of Node that are installed do not know it yet.
  const { setDefaultCACertificates } = tls as unknown as { setDefaultCACertificates(all: string[]): void };
  setDefaultCACertificates([exampleTls.cert]);
}

/** The variables of a process that trusts the certificate. */
export const TRUSTS_EXAMPLE_TLS = { NODE_EXTRA_CA_CERTS: file('cert') };

/** The variables of a process that resolves these names and no other, and trusts the certificate. */
export function withFakeDns(known: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, string>> {
  return {
    ...TRUSTS_EXAMPLE_TLS,
    NODE_OPTIONS: `--import=${new URL('fake-dns.ts', import.meta.url).href}`,
    FAKE_DNS: JSON.stringify(known),
  };
}
