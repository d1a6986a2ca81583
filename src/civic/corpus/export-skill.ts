import { parse, Scalar, stringify } from 'yaml';
import { splitFrontMatter } from './parse-skill.ts';
import { readYaml } from './read-yaml.ts';
import type { SnapshotSkill } from './snapshot.ts';
import { expandValues } from './values.ts';

/** A skill in the Agent Skills format: `name`, `description`, and everything else as texts in `metadata`. */
export function toAgentSkill(skill: SnapshotSkill, values: Readonly<Record<string, string>>): string {
  const text = expandValues(skill.text, skill.values, (uid) => values[uid]);
  const split = splitFrontMatter(text);
  const yaml = readYaml(split?.matter ?? '');
  const { id: _, summary: __, ...others } = (yaml.ok ? yaml.value : {}) as Record<string, unknown>;
  const metadata = Object.fromEntries(
    Object.entries(others).map(([key, value]) => [
      key,
      asText(typeof value === 'string' ? value : JSON.stringify(value)),
    ]),
  );
  const matter = stringify({ name: skill.id, description: asText(skill.summary), metadata }, { lineWidth: 0 });
  return `---\n${matter}---\n${text.slice(split?.bodyStart ?? 0)}`;
}

/** Quotes a text that YAML 1.1 would read as another type: `2026-10-01` is a date, `yes` a boolean. */
function asText(text: string): string | Scalar<string> {
  if (typeof parse(stringify(text, { lineWidth: 0 }), { version: '1.1' }) === 'string') return text;
  const quoted = new Scalar(text);
  quoted.type = 'QUOTE_DOUBLE';
  return quoted;
}
