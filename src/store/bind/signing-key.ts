import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { readFileSync, type StatsListener, unwatchFile, watchFile } from 'node:fs';
import type { Signing } from '../../bind/answers.ts';
import { type PublicJwk, type Signer, toPublicJwk } from '../../bind/detached-jws.ts';
import { BinderyError } from '../../contract/errors.ts';
import type { Log } from '../../contract/ports.ts';

/** Polling twice a second finds a change within a second, even on file systems without events. */
const LOOK_EVERY_MS = 500;

const BLOCK = /-----BEGIN (PRIVATE|PUBLIC) KEY-----[\s\S]+?-----END \1 KEY-----/g;

/**
 * Parses Ed25519 keys in PEM. The first private key signs; all other keys are published with it, so that earlier signatures can still be
 * verified after a rotation.
 */
export function readSigningKey(file: string): Signing {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new BinderyError('SIGNING_KEY_INVALID', { detail: 'the file of the signing key cannot be read', cause });
  }
  return parseSigningKey(text);
}

/** A followed key file: a rotation applies at once; while the file is unusable the previous keys stay. */
export class SigningKeyFile {
  readonly #file: string;
  readonly #log: Log;
  #signing: Signing;

  /** Throws if the file is unusable. */
  constructor(file: string, log: Log) {
    this.#file = file;
    this.#log = log;
    this.#signing = readSigningKey(file);
  }

  get current(): Signing {
    return this.#signing;
  }

  follow(): void {
    watchFile(this.#file, { interval: LOOK_EVERY_MS, persistent: false }, this.#onChange);
  }

  close(): void {
    unwatchFile(this.#file, this.#onChange);
  }

  readonly #onChange: StatsListener = () => {
    try {
      this.#signing = readSigningKey(this.#file);
      this.#log.info('the signing key was read again', { kid: this.#signing.signer.kid });
    } catch (error) {
      this.#log.error('the new signing key is invalid; the old one stays in use', { error });
    }
  };
}

/** Reads the text of a key file. */
export function parseSigningKey(text: string): Signing {
  const blocks = [...text.matchAll(BLOCK)];
  const keys = blocks.map(([block, kind]) => readKey(block, kind === 'PRIVATE'));
  const active = keys.find((key) => key.type === 'private');
  if (!active) throw new BinderyError('SIGNING_KEY_INVALID', { detail: 'the file holds no private key' });
  const published = [active, ...keys.filter((key) => key !== active)].map(toJwk);
  return { signer: createSigner(active), published };
}

/** A signer for a private Ed25519 key. */
export function createSigner(key: KeyObject): Signer {
  return { kid: toJwk(key).kid, sign: (bytes) => sign(null, bytes, key) };
}

function readKey(block: string, isPrivate: boolean): KeyObject {
  try {
    const key = isPrivate ? createPrivateKey(block) : createPublicKey(block);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch (cause) {
    throw new BinderyError('SIGNING_KEY_INVALID', { detail: 'a key in the file cannot be read', cause });
  }
  throw new BinderyError('SIGNING_KEY_INVALID', { detail: 'a key in the file is not one of Ed25519' });
}

function toJwk(key: KeyObject): PublicJwk {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  return toPublicJwk(publicKey.export({ format: 'jwk' }) as unknown as PublicJwk) as PublicJwk;
}
