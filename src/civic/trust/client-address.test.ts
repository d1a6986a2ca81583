import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientAddress, trustProxies } from './client-address.ts';

const call = (peer: string | undefined, headers: Record<string, string> = {}) => ({
  peerAddress: peer,
  header: (name: string) => headers[name],
});
const forwarded = (value: string) => ({ 'x-forwarded-for': value });

describe('clientAddress [civic:C5]', () => {
  const trust = trustProxies(['10.0.0.0/8', '2001:db8:ffff::/48']);

  test.each([
    ['a header from an untrusted peer has no effect', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['a trusted peer speaks for its client', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['an IPv4-mapped peer is its IPv4', '::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['a trusted IPv6 peer speaks too', '2001:db8:ffff::5', '198.51.100.1', '198.51.100.1'],
    ['the right-most untrusted element counts', '10.0.0.1', '1.1.1.1, 198.51.100.1, 10.2.2.2', '198.51.100.1'],
    ['what a client wrote before its proxy does not', '10.0.0.1', '8.8.8.8, 198.51.100.1', '198.51.100.1'],
    ['all trusted: the left-most', '10.0.0.1', '10.3.3.3, 10.2.2.2', '10.3.3.3'],
    ['an element that does not parse ends the walk', '10.0.0.1', 'nonsense, 10.2.2.2', '10.2.2.2'],
    ['nothing good to its right: the peer', '10.0.0.1', '198.51.100.1, nonsense', '10.0.0.1'],
    ['an empty header: the peer', '10.0.0.1', '', '10.0.0.1'],
  ])('%s', (_, peer, header, expected) => {
    expect(clientAddress(call(peer, forwarded(header)), trust)).toBe(expected);
  });

  test('without a header the peer counts, and without a peer the machine itself', () => {
    expect([clientAddress(call('10.0.0.1'), trust), clientAddress(call(undefined), trust)]).toEqual([
      '10.0.0.1',
      'local',
    ]);
  });

  test('another header counts only if the configuration names it', () => {
    const headers = { 'cf-connecting-ip': '198.51.100.7', 'x-forwarded-for': '198.51.100.8', 'x-real-ip': '1.1.1.1' };
    const named = trustProxies(['10.0.0.0/8'], 'CF-Connecting-IP');
    expect([clientAddress(call('10.0.0.1', headers), trust), clientAddress(call('10.0.0.1', headers), named)]).toEqual([
      '198.51.100.8',
      '198.51.100.7',
    ]);
  });

  test('a range that does not parse is refused', () => {
    expect(() => trustProxies(['10.0.0.0/33'])).toThrow('10.0.0.0/33');
  });

  test('no header of any shape moves an untrusted peer', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        expect(clientAddress(call('203.0.113.9', forwarded(header)), trust)).toBe('203.0.113.9');
      }),
    );
  });
});
