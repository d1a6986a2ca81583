import { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { readSuppliedFileSync } from '../../files/read-supplied-file.ts';

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
  let text: string | undefined;
  try {
    text = readSuppliedFileSync({ path: file, bytesMax: LIMITS.configFileBytesMax })?.toString('utf8');
  } catch (cause) {
    throw unusable(name, 'config.json cannot be read', cause);
  }
  if (text === undefined) return undefined;
  try {
    return (JSON.parse(text) as Record<string, unknown> | null)?.[name];
  } catch (cause) {
    throw unusable(name, 'config.json is not JSON', cause);
  }
}

function unusable(name: string, detail: string, cause: unknown): BinderyError {
  return new BinderyError('USAGE', { detail, next: `Correct the section "${name}" of config.json.`, cause });
}
