import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { open as openWithSdk } from './sdk-1.mjs';

const command = join(dirname(createRequire(import.meta.url).resolve('mcp-remote/package.json')), 'dist/proxy.js');

/** A client that speaks stdio only, with mcp-remote between it and the address. */
export function open({ kind, url, env, roots }, { protocol }, person) {
  if (kind === 'stdio') throw new Error('mcp-remote connects to addresses only');
  const transport = kind === 'sse' ? 'sse-only' : 'http-only';
  const args = [command, url, '--allow-http', '--transport', transport, '--protocol', protocol];
  const target = { kind: 'stdio', command: process.execPath, args, env: { ...env, HOME: env.HOME }, roots };
  return openWithSdk(target, {}, person);
}
