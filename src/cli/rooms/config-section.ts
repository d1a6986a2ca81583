import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';

/** A room's section of config.json, as its schema reads it; an absent file or section is an empty one. */
export function readConfigSection<Schema extends z.ZodType>(
  file: string,
  name: string,
  schema: Schema,
): z.output<Schema> {
  const parsed = schema.safeParse(sectionOf(file, name) ?? {});
  if (parsed.success) return parsed.data;
  throw unusable(name, z.prettifyError(parsed.error).replaceAll(/\s+/g, ' '), parsed.error);
}

function sectionOf(file: string, name: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unusable(name, 'config.json cannot be read', cause);
  }
  try {
    return (JSON.parse(text) as Record<string, unknown> | null)?.[name];
  } catch (cause) {
    throw unusable(name, 'config.json is not JSON', cause);
  }
}

function unusable(name: string, detail: string, cause: unknown): BinderyError {
  return new BinderyError('USAGE', { detail, next: `Correct the section "${name}" of config.json.`, cause });
}
