import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileSchema } from '../../src/gateway/schema/compile-schema.ts';
import { LinearPattern } from '../../src/gateway/schema/linear-pattern.ts';
import { StepBudget } from '../../src/gateway/schema/steps.ts';
import { patternTexts, randomPatterns } from '../support/random-patterns.ts';
import { randomSchemas, schemaValues } from '../support/random-schemas.ts';

/** How many inputs each way of judging gets; a release is tried with 100,000. */
const numRuns = Number(process.env.PARSER_FUZZ_INPUTS ?? 2_000);
const timeout = 60_000 + numRuns * 20;
const INPUTS_PER_RULE = 20;

test(
  'a pattern matches where the engine of the language says so',
  () => {
    fc.assert(
      fc.property(
        randomPatterns,
        fc.array(patternTexts, { minLength: 1, maxLength: INPUTS_PER_RULE }),
        (source, texts) => {
          const pattern = new LinearPattern(source);
          // Without the beginning, V8 also looks between the halves of a character, which the standard does not.
          const expression = new RegExp(`^[^]*?(?:${source})`, 'u');
          const budget = new StepBudget(Number.POSITIVE_INFINITY);
          expect(texts.map((text) => pattern.test(text, budget))).toEqual(texts.map((text) => expression.test(text)));
        },
      ),
      { numRuns: Math.ceil(numRuns / 4) },
    );
  },
  timeout,
);

test.each([
  ['2020-12', Ajv2020],
  ['draft-07', Ajv],
] as const)(
  'a schema of %s means what it means to a validator that knows no budget',
  (dialect, Validator) => {
    const options = {
      strict: false,
      validateSchema: false,
      validateFormats: false,
      ownProperties: true,
      logger: false,
    } as const;
    const counts = { judged: 0, unjudged: 0, withoutOracle: 0 };
    fc.assert(
      fc.property(
        randomSchemas(dialect),
        fc.array(schemaValues, { minLength: INPUTS_PER_RULE, maxLength: INPUTS_PER_RULE }),
        (schema, values) => {
          const fits = plainCheck(() => new Validator(options).compile(schema));
          const judge = compileSchema(schema, { dialect, unusablePatterns: 'refuse' });
          for (const value of values) {
            const { failures, unjudged } = judge(value, 10);
            const isFit = plainly(fits, value);
            // A schema that leads back to itself overflows the stack there, and may use up the steps here.
            counts[unjudged ? 'unjudged' : isFit === undefined ? 'withoutOracle' : 'judged'] += 1;
            if (unjudged) continue;
            expect(judge(value, 1).failures).toEqual(failures.slice(0, 1));
            if (isFit !== undefined) expect(failures.length === 0).toBe(isFit);
          }
        },
      ),
      { numRuns: Math.ceil(numRuns / INPUTS_PER_RULE) },
    );
    if (process.env.PARSER_FUZZ_INPUTS) console.info(dialect, counts);
    // What cannot be compared shows nothing: it has to stay the exception.
    expect(counts.judged).toBeGreaterThan(0.9 * (counts.judged + counts.unjudged + counts.withoutOracle));
  },
  timeout,
);

/** One that leads back to itself at once overflows the stack as soon as it is compiled. */
function plainCheck(compile: () => (value: unknown) => unknown): (value: unknown) => unknown {
  try {
    return compile();
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    return () => {
      throw thrown;
    };
  }
}

function plainly(fits: (value: unknown) => unknown, value: unknown): boolean | undefined {
  try {
    return fits(value) === true;
  } catch (thrown) {
    // Its code for `unevaluatedProperties` within alternatives writes to a record that it did not make.
    if (thrown instanceof RangeError || thrown instanceof TypeError) return undefined;
    throw thrown;
  }
}
