import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BinderyError } from '../../contract/errors.ts';
import { CAPABILITIES, CIVIC_LIMITS, type SubmissionType } from '../config.ts';
import type { Fault } from './faults.ts';
import { SCHEMA_NAMES, schemaDocument } from './json-schemas.ts';
import { readEnvelope, readItem, readTyped } from './read-request.ts';

const SESSION = 'ses_01890000-0000-7000-8000-000000000001';
const COMMON = {
  schema_version: 1,
  session_id: SESSION,
  submitted_at: '2026-11-02T12:00:00+01:00',
  submitting_agent: 'sample-agent/1.0',
  submission_contract_version: '1.0.0',
  declared_capabilities: [...CAPABILITIES],
};
const OWN: Record<SubmissionType, Record<string, unknown>> = {
  concern: { target_type: 'skill', target_id: 'a', kind: 'factual_error', report: 'x' },
  amendment: {
    target_type: 'volatile_value',
    target_id: 'val-01',
    base_version: '1.0.0',
    content: { amendment_subtype: 'value_change', value_change: { proposed_value: 3 } },
    rationale: 'x',
    evidence_url: 'https://a.example/',
  },
  validation: { target_type: 'skill', target_id: 'a', target_version: '1.0.0', verdict: 'confirm' },
  draft: { target_type: 'path', proposed_id: 'a', content: { entry: { title: 'x' } }, commit_message: 'x' },
  feedback: { body: 'x' },
  rating: { target_type: 'skill', target_id: 'a', axis: 'overall', score: 5 },
};
const TYPES = Object.keys(OWN) as SubmissionType[];

function faultsOf(type: SubmissionType, changes: object, common: object = {}): string[] {
  try {
    readTyped(type, { ...COMMON, ...common, ...OWN[type], ...changes }, { isProbe: false });
    return [];
  } catch (thrown) {
    if (!(thrown instanceof BinderyError)) throw thrown;
    return (thrown.members.errors as Fault[]).map(({ pointer, keyword }) => `${pointer} ${keyword}`);
  }
}

describe('common members [civic:SU3] [civic:SU4]', () => {
  test.each([
    [{ schema_version: 2 }, ['/schema_version const']],
    [{ schema_version: '1' }, ['/schema_version const']],
    [{ session_id: SESSION.toUpperCase() }, ['/session_id pattern']],
    [{ session_id: 'ses_01890000-0000-4000-8000-000000000001' }, ['/session_id pattern']],
    [{ submission_id: 'iss_1' }, ['/submission_id pattern']],
    [{ submitted_at: '2026-11-02 12:00' }, ['/submitted_at pattern']],
    [{ submitting_agent: 'no-version' }, ['/submitting_agent pattern']],
    [{ submitting_agent: `a/${'1'.repeat(199)}` }, ['/submitting_agent maxLength']],
    [{ declared_capabilities: ['vision', 'vision'] }, ['/declared_capabilities uniqueItems']],
    [{ declared_capabilities: ['flight'] }, ['/declared_capabilities/0 enum']],
    [{ context: {} }, ['/context/language_used required']],
    [{ context: { language_used: 'fr', city: 'x' } }, ['/context/city additionalProperties']],
    [{ context: { language_used: 'fr', commune_nis5: '2100' } }, ['/context/commune_nis5 pattern']],
    [{ dry_run: 'yes' }, ['/dry_run type']],
    [{ submitted_at: undefined }, ['/submitted_at required']],
    [{ submission_contract_version: 'one' }, ['/submission_contract_version pattern']],
    [{ submission_contract_version: '1.0' }, ['/submission_contract_version pattern']],
    [{ submission_contract_version: '1.02.0' }, ['/submission_contract_version pattern']],
    [{ submission_contract_version: '1.0.0-rc.01' }, ['/submission_contract_version pattern']],
    [{ submission_contract_version: '1.0.0-rc.1+build.5' }, []],
    [{ submitted_at: '2026-11-02T12:00:00' }, ['/submitted_at pattern']],
    [{ submitted_at: '2026-02-30T12:00:00Z' }, ['/submitted_at pattern']],
    [{ submitted_at: '2026-11-02T24:00:00Z' }, ['/submitted_at pattern']],
    [{ submitted_at: '2026-11-02T12:00:61Z' }, ['/submitted_at pattern']],
    [{ submitted_at: '2026-11-02t12:00:00.123456789z' }, []],
    [{ submitted_at: '2016-12-31T23:59:60-00:00' }, []],
  ])('%j: %j', (changes, expected) => {
    expect(faultsOf('feedback', {}, changes)).toEqual(expected);
  });

  test('all of them may stand beside feedback, and an empty list of capabilities is one', () => {
    expect(
      faultsOf('feedback', {
        context: { language_used: 'uk', region: 'brussels', commune_nis5: '21004' },
        declared_capabilities: [],
      }),
    ).toEqual([]);
  });
});

describe('a type’s own members', () => {
  test.each<[SubmissionType, object, string[]]>([
    ['concern', { scope: 'commune-specific' }, ['/specifier required']],
    ['concern', { scope: 'commune-specific', specifier: 'Ixelles' }, ['/specifier pattern']],
    ['concern', { scope: 'commune-specific', specifier: '21009' }, []],
    ['concern', { scope: 'role-specific', specifier: 'student' }, []],
    ['concern', { target_type: 'volatile_value', target_id: 'val-01' }, ['/observed_value required']],
    ['concern', { observed_value: '3' }, ['/observed_value additionalProperties']],
    ['concern', { evidence_url: 'http://a.example/' }, ['/evidence_url pattern']],
    ['concern', { evidence_url: 'https://a.example/x\nReviewed: by Ann' }, ['/evidence_url pattern']],
    ['amendment', { evidence_url: 'https://a.example/x y' }, ['/evidence_url pattern']],
    ['amendment', { evidence_url: ' https://a.example/' }, ['/evidence_url pattern']],
    ['concern', { evidence_date: '2026-02-30' }, ['/evidence_date pattern']],
    ['concern', { notes: 'n'.repeat(201) }, ['/notes maxLength']],
    ['concern', { report: '' }, ['/report minLength']],
    ['concern', { kind: 'gossip' }, ['/kind enum']],
    ['validation', { verdict: 'reject' }, ['/rationale required']],
    ['validation', { injection_flag: true }, ['/verdict const']],
    ['validation', { injection_excerpt_pointer: '/body' }, ['/injection_excerpt_pointer additionalProperties']],
    ['validation', { verdict: 'reject', rationale: 'x', injection_flag: true, injection_excerpt_pointer: '/body' }, []],
    ['validation', { target_type: 'path_source', target_id: 'a:b' }, ['/traversal_metadata required']],
    [
      'validation',
      {
        traversal_metadata: {
          attempted_at: '2026-11-02T10:00:00Z',
          outcome: 'success',
          signals_matched: [],
          duration_bucket: '<1m',
        },
      },
      ['/traversal_metadata additionalProperties'],
    ],
    [
      'validation',
      {
        target_type: 'path_source',
        target_id: 'a:b',
        traversal_metadata: {
          attempted_at: 'x',
          outcome: 'maybe',
          signals_matched: [],
          duration_bucket: '<1m',
          note: 1,
        },
      },
      [
        '/traversal_metadata/attempted_at pattern',
        '/traversal_metadata/note additionalProperties',
        '/traversal_metadata/outcome enum',
      ],
    ],
    ['rating', { score: 6 }, ['/score maximum']],
    ['rating', { score: 2.5 }, ['/score type']],
    ['rating', { score: 5, would_be_5_stars: 'x' }, ['/would_be_5_stars additionalProperties']],
    ['rating', { score: 4, would_be_5_stars: 'x'.repeat(301) }, ['/would_be_5_stars maxLength']],
    ['feedback', { topic: 'gossip' }, ['/topic enum']],
    ['feedback', { body: undefined }, ['/body required']],
    ['draft', { proposed_id: 'Not Kebab' }, ['/proposed_id pattern']],
    ['draft', { proposed_id: 'a'.repeat(65) }, ['/proposed_id maxLength']],
    [
      'draft',
      { content: { frontmatter: {}, body: 'x' } },
      ['/content/body additionalProperties', '/content/entry required', '/content/frontmatter additionalProperties'],
    ],
    [
      'amendment',
      { content: { amendment_subtype: 'value_change', value_change: { proposed_value: 1 }, body_diff: {} } },
      ['/content/body_diff additionalProperties'],
    ],
    ['amendment', { evidence_url: undefined, rationale: undefined }, ['/evidence_url required', '/rationale required']],
    ['amendment', { content: { amendment_subtype: 'field_edit' } }, ['/content/amendment_subtype enum']],
  ])('%s %j: %j [civic:SU13] [civic:SU14] [civic:SU17] [civic:SU18]', (type, changes, expected) => {
    expect(faultsOf(type, changes)).toEqual(expected);
  });

  test('lengths count code points after NFC [civic:SU19]', () => {
    expect([
      faultsOf('feedback', { body: '😀'.repeat(2000) }),
      faultsOf('feedback', { body: 'e\u0301'.repeat(2000) }),
      faultsOf('feedback', { body: '😀'.repeat(2001) }),
    ]).toEqual([[], [], ['/body maxLength']]);
  });

  test('a diff is bounded in bytes', () => {
    const content = (diff: string) => ({
      target_type: 'skill',
      target_id: 'a',
      content: { amendment_subtype: 'body_diff', body_diff: { diff } },
    });
    expect([
      faultsOf('amendment', content('x'.repeat(65_536))),
      faultsOf('amendment', content('é'.repeat(32_769))),
    ]).toEqual([[], ['/content/body_diff/diff maxLength']]);
  });

  test('an observation is a concern [civic:SU9]', () => {
    const sent = {
      ...COMMON,
      ...OWN.validation,
      target_type: 'observation',
      target_id: 'sub_01890000-0000-7000-8000-000000000001',
    };
    expect(readTyped('validation', sent, { isProbe: false }).item).toMatchObject({ target_type: 'concern' });
  });
});

describe('the published schemas [civic:RO10] [civic:SU2]', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const validators = new Map(SCHEMA_NAMES.map((name) => [name, ajv.compile(schemaDocument(name, 'http://127.0.0.1'))]));

  test.each(TYPES)('a valid %s fits its schema, alone and in an envelope', (type) => {
    const typed = { ...COMMON, ...OWN[type] };
    const envelope = { ...COMMON, items: [{ type, ...OWN[type] }] };
    expect([validators.get(type)?.(typed), validators.get('envelope')?.(envelope)]).toEqual([true, true]);
  });

  test('what the schema refuses, the server refuses', () => {
    const value = fc.oneof(
      fc.constant(undefined),
      fc.constant(null),
      fc.integer({ min: -1, max: 7 }),
      fc.boolean(),
      fc.constantFrom('', 'a', 'skill', 'path', '1.0.0', 'confirm', 'reject'),
      fc.constant({}),
      fc.constant([]),
    );
    const names = [...new Set(TYPES.flatMap((type) => Object.keys(OWN[type])))];
    const mutation = fc.tuple(
      fc.constantFrom(...TYPES),
      fc.constantFrom(...names, ...Object.keys(COMMON), 'extra'),
      value,
    );
    fc.assert(
      fc.property(mutation, ([type, name, changed]) => {
        const sent = JSON.parse(JSON.stringify({ ...COMMON, ...OWN[type], [name]: changed }));
        const isTaken =
          faultsOf(type, sent, sent).length === 0 && !(changed === undefined && name in { ...COMMON, ...OWN[type] });
        if (isTaken) expect(validators.get(type)?.(sent)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});

test('an envelope’s items are not looked at before its common members', () => {
  expect(() => readEnvelope({ ...COMMON, session_id: 1, items: [1] })).toThrow('/session_id');
  expect(readEnvelope({ ...COMMON, items: [1] }).items).toEqual([1]);
  expect(() => readItem(1, SESSION, { isProbe: false })).toThrow('object');
});

describe('Markdown that takes long to parse is refused with its limit', () => {
  const { diff_lines_max, draft_lines_max, link_definitions_max, markdown_steps_max } = CIVIC_LIMITS;
  const marks = '*a_'.repeat(Math.ceil(Math.sqrt(markdown_steps_max) / 2));
  const tooManySteps = `needs more than ${markdown_steps_max} steps to read (markdown_steps_max): use shorter paragraphs with fewer *, _, [, \` and <, and fewer levels of lists and quotes`;
  const lines = (line: string, count: number) => `${line}\n`.repeat(count);
  const diff = (text: string) => ({
    target_type: 'skill',
    target_id: 'a',
    content: { amendment_subtype: 'body_diff', body_diff: { diff: text } },
  });
  const body = (text: string) => ({ target_type: 'skill', content: { frontmatter: { title: 'x' }, body: text } });

  test.each<[SubmissionType, object, string | undefined]>([
    ['amendment', diff(lines('+a', diff_lines_max)), undefined],
    ['amendment', diff(lines('+a', diff_lines_max + 1)), `has more than ${diff_lines_max} lines`],
    ['amendment', diff(lines('+[a]: b', link_definitions_max)), undefined],
    [
      'amendment',
      diff(lines('+[a]: b', link_definitions_max + 1)),
      `has more than ${link_definitions_max} link definitions`,
    ],
    ['amendment', diff(`+${marks}\n`), tooManySteps],
    ['amendment', diff(`-${marks}\n+a\n`), undefined],
    ['amendment', diff(lines('+*a_*a_*a_*a_', diff_lines_max)), tooManySteps],
    ['amendment', diff(lines('+- *a_*a_*a_*a_', diff_lines_max)), undefined],
    ['draft', body(`${marks}\n`), tooManySteps],
    ['draft', body(lines('a', draft_lines_max)), undefined],
    ['draft', body(lines('a', draft_lines_max + 1)), `has more than ${draft_lines_max} lines`],
    [
      'draft',
      body(lines('[a]: b', link_definitions_max + 1)),
      `has more than ${link_definitions_max} link definitions`,
    ],
  ])('%s %#', (type, changes, message) => {
    const messages: string[] = [];
    try {
      readTyped(type, { ...COMMON, ...OWN[type], ...changes }, { isProbe: false });
    } catch (thrown) {
      if (!(thrown instanceof BinderyError)) throw thrown;
      messages.push(...(thrown.members.errors as Fault[]).map((one) => one.message));
    }
    expect(messages.join()).toBe(message ?? '');
  });
});
