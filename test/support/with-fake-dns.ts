import { fileURLToPath } from 'node:url';

const certificate = fileURLToPath(new URL('../fixtures/tls/cert.pem', import.meta.url));

/** The variables of a process that resolves these names and no other, and trusts the fixtures' certificate (*.example.com). */
export function withFakeDns(known: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, string>> {
  return {
    NODE_OPTIONS: `--import=${new URL('fake-dns.ts', import.meta.url).href}`,
    FAKE_DNS: JSON.stringify(known),
    NODE_EXTRA_CA_CERTS: certificate,
  };
}
