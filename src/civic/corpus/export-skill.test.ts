import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { CorpusBuilder } from './corpus-builder.ts';
import { toAgentSkill } from './export-skill.ts';
import type { SnapshotSkill } from './snapshot.ts';
import { toSourceFile } from './source-file.ts';

const TEXT = `---
id: a
title: "yes"
summary: 'What: it does'
status: alpha
version: 1.0.0
category: sample
last_verified: 2026-10-01
octal: "017"
rate: 1.5
applies_to: { region: [brussels] }
---
# A
`;

test.each(['1.1', '1.2'] as const)(
  '[civic:K16] every member of the metadata is a text for a reader of YAML %s',
  (version) => {
    const file = toSourceFile('skills/a/canonical.md', new TextEncoder().encode(TEXT));
    const { corpus } = new CorpusBuilder().build([file], { generatedAt: () => '2026-10-01T00:00:00.000Z' });
    const [, matter, body] = toAgentSkill(corpus?.snapshot.skills[0] as SnapshotSkill, {}).split('---\n');
    expect([parse(matter as string, { version }), body]).toEqual([
      {
        name: 'a',
        description: 'What: it does',
        metadata: {
          title: 'yes',
          status: 'alpha',
          version: '1.0.0',
          category: 'sample',
          last_verified: '2026-10-01',
          octal: '017',
          rate: '1.5',
          applies_to: '{"region":["brussels"]}',
        },
      },
      '# A\n',
    ]);
  },
);
