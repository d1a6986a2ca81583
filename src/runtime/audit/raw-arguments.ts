import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { BinderyError } from '../../contract/errors.ts';
import { readAudit } from '../../store/audit/audit-reader.ts';
import { privateKey } from '../config/private-file.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts arguments with the key of this data directory; a copy of the log without the key does not reveal them. */
export function argumentSealer(dataDir: string): (callId: string, args: unknown) => Uint8Array {
  const key = auditKey(dataDir);
  return (callId, args) => {
    const nonce = randomBytes(NONCE_BYTES);
    // The call id is authenticated data, so arguments cannot be moved to another call.
    const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(callId));
    const sealed = Buffer.concat([cipher.update(JSON.stringify(args ?? {}), 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  };
}

/** The raw arguments of a call; undefined if they were not stored. */
export function rawArguments(dataDir: string, callId: string): unknown {
  const bytes = readAudit(dataDir, (reader) => reader.sealedArguments(callId));
  return bytes === undefined ? undefined : open(auditKey(dataDir), callId, Buffer.from(bytes));
}

function open(key: Buffer, callId: string, bytes: Buffer): unknown {
  try {
    const cipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(callId));
    cipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    const plain = Buffer.concat([cipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), cipher.final()]);
    return JSON.parse(plain.toString('utf8'));
  } catch (cause) {
    throw new BinderyError('CALL_NOT_FOUND', { detail: 'its arguments were encrypted with another key', cause });
  }
}

function auditKey(dataDir: string): Buffer {
  return privateKey(join(dataDir, 'audit.key'));
}
