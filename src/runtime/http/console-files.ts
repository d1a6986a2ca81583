import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Context, Hono } from 'hono';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Only files of this gateway are loaded, and no other page can frame it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Headers of every page for browsers. */
export const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

interface ConsoleFile {
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly gzipped: Uint8Array<ArrayBuffer>;
}

/** The built console, read on first use and cached: a few hundred kilobytes. */
export class ConsoleFiles {
  readonly #dir: string;
  #files: ReadonlyMap<string, ConsoleFile> | undefined;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** The page for browsers; other programs get text at `/`. Undefined if the console is not built. */
  page(context: Context): Response | undefined {
    if (!/\btext\/html\b/.test(context.req.header('accept') ?? '')) return undefined;
    const page = this.#all().get('index.html');
    return page && answer(context, page, { ...PAGE_HEADERS, vary: 'accept, accept-encoding' });
  }

  /** All file names contain a digest, except for the page and the icon. */
  serve(app: Hono): void {
    app.get('/console/:name{.+}', (context) => {
      const name = context.req.param('name');
      const file = name === 'index.html' ? undefined : this.#all().get(name);
      if (!file) return context.notFound();
      const isHashed = name.startsWith('assets/');
      const caching = isHashed ? 'public, max-age=31536000, immutable' : 'no-cache';
      return answer(context, file, { 'cache-control': caching, vary: 'accept-encoding' });
    });
  }

  #all(): ReadonlyMap<string, ConsoleFile> {
    this.#files ??= readFiles(this.#dir);
    return this.#files;
  }
}

function readFiles(dir: string): ReadonlyMap<string, ConsoleFile> {
  if (!statSync(join(dir, 'index.html'), { throwIfNoEntry: false })) return new Map();
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  return new Map(
    names.flatMap((name): [string, ConsoleFile][] => {
      const type = TYPES[extname(name)];
      if (type === undefined) return [];
      const bytes = readFileSync(join(dir, name));
      return [[name.split(sep).join('/'), { type, bytes, gzipped: new Uint8Array(gzipSync(bytes)) }]];
    }),
  );
}

function answer(context: Context, { type, bytes, gzipped }: ConsoleFile, headers: Record<string, string>): Response {
  const isGzip = /\bgzip\b/.test(context.req.header('accept-encoding') ?? '');
  return new Response(isGzip ? gzipped : bytes, {
    headers: {
      ...headers,
      'content-type': type,
      'x-content-type-options': 'nosniff',
      ...(isGzip ? { 'content-encoding': 'gzip' } : {}),
    },
  });
}
