/** What a change needs before it takes effect: staging only, consensus of other users, or a maintainer. */
export const GATES = ['alone', 'consensus', 'maintainer'] as const;
export type Gate = (typeof GATES)[number];

interface ProtectedField {
  /** What the field covers. */
  readonly covers: string;
  readonly gate: Gate;
  /** Why a change waits; empty if it does not. */
  readonly reason: string;
}

/**
 * The one table of what submissions may change, and what each change needs; it applies to every type of submission. A change here is a
 * protocol amendment (tier B); docs/guides/civic.md is checked against it.
 */
export const PROTECTED_FIELDS = {
  text: { covers: 'title, summary, body text, labels, themes that are added, priority', gate: 'alone', reason: '' },
  value: {
    covers:
      'a value between half and double of the current one, same unit; a time of day up to an hour away, a date up to 31 days',
    gate: 'alone',
    reason: '',
  },
  value_out_of_bounds: {
    covers: 'any other value or unit',
    gate: 'consensus',
    reason: 'The value is too far from the current one, or of another kind.',
  },
  number: {
    covers:
      'a number of a sentence that changes by more than a `value` may, gets another unit, is asked for per page, week or the like, is removed or joined by another; a sentence with a number that is removed; a new sentence with an amount of money, a percentage, days, weeks, months or years; a new sentence next to a term that says that later will do',
    gate: 'consensus',
    reason: 'The change alters an amount, a term or another number.',
  },
  bulk_removal: {
    covers: 'a body that loses more than half of its lines',
    gate: 'consensus',
    reason: 'The change removes more than half of the text.',
  },
  url: {
    covers: 'a link on a host that the artefact or its jurisdiction already uses; a link without a host',
    gate: 'consensus',
    reason: 'The change adds, replaces or removes a link.',
  },
  applies_to: {
    covers: '`applies_to` that covers more cases',
    gate: 'consensus',
    reason: 'The artefact would apply to other people than before.',
  },
  narrower_scope: {
    covers: '`applies_to` that covers fewer cases or none; a theme that is removed',
    gate: 'consensus',
    reason: 'Readers who find the artefact now would not find it any more.',
  },
  ids: {
    covers: '`requires`, `requires_paths`, and ids in `<Path>`, `<Skill>`, `<Ref>`, `<VV>`, `<Observations>`',
    gate: 'consensus',
    reason: 'The change points readers to another artefact.',
  },
  source: {
    covers:
      'a source that is added or removed; `source_class`, `actor`, `fallback_only`, `validation_path`, `audience`, `purpose`',
    gate: 'consensus',
    reason: 'The change decides where people are sent, or who acts for them.',
  },
  verification: {
    covers: '`last_verified`, `verification_notes`',
    gate: 'consensus',
    reason: 'The change claims that somebody verified the text.',
  },
  topic_secrets: {
    covers:
      'a new sentence about codes, PINs, passwords, digits or pictures of cards, sessions, keys, screens to share',
    gate: 'consensus',
    reason: 'The change speaks of what gives access to accounts and devices.',
  },
  topic_payment: {
    covers:
      'a new sentence about cash, vouchers, coins, payment services, transfers to an account, deposits, or 250 EUR and more to pay',
    gate: 'consensus',
    reason: 'The change speaks of how people pay.',
  },
  topic_software: {
    covers: 'a new sentence about programs to install, download, open or run; a command or block of code',
    gate: 'consensus',
    reason: 'The change speaks of programs or commands that people would run.',
  },
  topic_agents: {
    covers:
      'a new sentence that names AI, calls agents, assistants or users or says what they should do with a text, sets other text aside, keeps something from the person, or hands on what they said',
    gate: 'consensus',
    reason: 'The change speaks to the agents that read the text, or about them.',
  },
  unknown_scope: {
    covers: 'a key or value of `applies_to` that no artefact of the corpus and no question about the person has',
    gate: 'maintainer',
    reason: 'Nobody is known to whom the artefact would apply.',
  },
  foreign_host: {
    covers:
      'a link or host name outside the hosts of the jurisdiction, a link with another scheme than `http`, `https`, `mailto` or `tel`, also in `rationale` and `evidence_url`',
    gate: 'maintainer',
    reason: 'The host or scheme is not on the list of this jurisdiction.',
  },
  contact: {
    covers: 'a phone number, an e-mail address, a messenger',
    gate: 'maintainer',
    reason: 'The change gives people another number or address to contact.',
  },
  credentials: {
    covers: 'a sentence about PINs, codes, passwords, numbers of cards, login data or remote access',
    gate: 'maintainer',
    reason: 'The change speaks of what people should keep to themselves.',
  },
  payment: {
    covers: 'gift cards, coins, money transfer services, more than 500 EUR in cash',
    gate: 'maintainer',
    reason: 'The change speaks of ways to pay that nobody can trace.',
  },
  hidden_text: {
    covers:
      'text that the page does not show: link definitions without a link, titles of links, long labels, words in a tag',
    gate: 'maintainer',
    reason: 'Agents would read text that people do not see.',
  },
  unknown_field: {
    covers: 'a new field that no part of the program knows',
    gate: 'maintainer',
    reason: 'Readers would see a field that nothing checks.',
  },
  supersedes: {
    covers: '`supersedes`',
    gate: 'maintainer',
    reason: 'The change would take another artefact out of service.',
  },
  inputs: {
    covers: '`inputs`: the questions of an onboarding form',
    gate: 'maintainer',
    reason: 'The change decides which data people are asked for.',
  },
  audited_document_delivery: {
    covers: '`audited_document_delivery`',
    gate: 'maintainer',
    reason: 'The change decides whether a source is exempt from the link check.',
  },
  providers: {
    covers: '`<Providers>`',
    gate: 'maintainer',
    reason: 'The change decides which providers are shown.',
  },
  jurisdiction: {
    covers: '`category`, `jurisdiction`: they decide which hosts are allowed',
    gate: 'maintainer',
    reason: 'The change decides which hosts are allowed.',
  },
  new_artefact: {
    covers: 'a draft',
    gate: 'maintainer',
    reason: 'A maintainer reviews every new artefact.',
  },
} as const satisfies Record<string, ProtectedField>;

export type FieldName = keyof typeof PROTECTED_FIELDS;

/** A protected field that a submission changes, as its sender sees it. */
export interface ProtectedChange {
  readonly field: FieldName;
  readonly gate: Exclude<Gate, 'alone'>;
  readonly reason: string;
}

/** The row of a field with what was found; undefined if the field merges alone. */
export function protectedChange(field: FieldName, found?: string): ProtectedChange | undefined {
  const { gate, reason }: ProtectedField = PROTECTED_FIELDS[field];
  if (gate === 'alone') return undefined;
  return { field, gate, reason: found === undefined ? reason : `${reason} Found: ${found}` };
}

/** The strongest gate of several changes. */
export function strongestGate(changes: readonly ProtectedChange[]): Gate {
  if (changes.some(({ gate }) => gate === 'maintainer')) return 'maintainer';
  return changes.length > 0 ? 'consensus' : 'alone';
}

/** The table as the manifest shows it. */
export const PROTECTED_FIELDS_SHOWN = Object.entries(PROTECTED_FIELDS).map(([field, { gate, covers }]) => ({
  field,
  gate,
  covers,
}));
