// Preloaded into a process that a test starts (`withFakeDns` of example-tls.ts): no name leaves the machine.
import dns, { type LookupAddress } from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { isIP, type LookupFunction } from 'node:net';

const known = JSON.parse(process.env.FAKE_DNS ?? '{}') as Record<string, string[]>;

const lookup: LookupFunction = (hostname, options, callback) => {
  // A server that listens asks for its own address.
  const own = isIP(hostname) ? [hostname] : hostname === 'localhost' ? ['127.0.0.1'] : [];
  const addresses = (known[hostname] ?? own).map((address): LookupAddress => ({ address, family: isIP(address) }));
  const [first] = addresses;
  process.nextTick(() => {
    if (!first) callback(Object.assign(new Error(`no ${hostname}`), { code: 'ENOTFOUND' }), [], 0);
    else if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

Object.assign(dns, { lookup });
syncBuiltinESMExports();
