import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { publicLookup } from '../../src/host/transports/public-agent.ts';

/** Answers for one host, one after the other; the last one stays. */
export type DnsAnswers = readonly (readonly string[])[];

/** A resolver that knows what a test says. What is judged public is dialled on loopback, so that nothing leaves the machine. */
export class LoopbackDns {
  /** Names that were asked for, in order. */
  readonly asked: string[] = [];
  /** Addresses that would have been dialled. */
  readonly dialled: string[] = [];
  readonly #answers: Readonly<Record<string, DnsAnswers>>;

  constructor(answers: Readonly<Record<string, DnsAnswers>>) {
    this.#answers = answers;
  }

  /** The addresses as the test names them. */
  readonly resolve: LookupFunction = (hostname, _options, callback) => {
    const known = this.#answers[hostname];
    const times = this.asked.filter((name) => name === hostname).length;
    this.asked.push(hostname);
    const addresses = known?.[Math.min(times, known.length - 1)];
    if (!addresses) return callback(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }), [], 0);
    callback(
      null,
      addresses.map((address): LookupAddress => ({ address, family: isIP(address) })),
    );
  };

  /** For `createPublicAgent` and hosts: the judgement of the program, then loopback. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    publicLookup(this.resolve)(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, [], 0);
      this.dialled.push(...(found as LookupAddress[]).map(({ address }) => address));
      if (options.all) callback(null, [{ address: '127.0.0.1', family: 4 }]);
      else callback(null, '127.0.0.1', 4);
    });
  };
}
