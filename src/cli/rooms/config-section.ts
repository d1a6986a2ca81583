import { findNodeAtLocation, getNodeValue } from 'jsonc-parser';
import type { z } from 'zod';
import { BinderyError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { readSuppliedFileSync, refusalReason } from '../../files/read-supplied-file.ts';
import { parseConfigText } from '../../host/config/config-layer.ts';

/** A room's section of config.json, parsed by its schema; a missing file or section counts as empty. */
export function readConfigSection<Schema extends z.ZodType>(
  file: string,
  name: string,
  schema: Schema,
): z.output<Schema> {
  const parsed = schema.safeParse(sectionOf(file, name) ?? {});
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => `${[name, ...path].join('.')}: ${message}`);
  throw unusable(file, issues.join('; '), parsed.error);
}

function sectionOf(file: string, name: string): unknown {
  let text: string | undefined;
  try {
    text = readSuppliedFileSync({ path: file, bytesMax: LIMITS.configFileBytesMax })?.toString('utf8');
  } catch (cause) {
    throw unusable(file, refusalReason(cause) ?? 'it cannot be read', cause);
  }
  if (text === undefined || text.trim() === '') return undefined;
  const { root, error } = parseConfigText(text);
  if (root === undefined) throw unusable(file, error, undefined);
  const section = findNodeAtLocation(root, [name]);
  return section && getNodeValue(section);
}

function unusable(file: string, detail: string, cause: unknown): BinderyError {
  return new BinderyError('CONFIG_INVALID', {
    detail: `${file}: ${detail}`,
    next: 'Correct the file there. Comments and trailing commas are allowed.',
    ...(cause === undefined ? {} : { cause }),
  });
}
