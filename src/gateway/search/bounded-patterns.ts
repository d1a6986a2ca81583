import { SEARCH_LIMITS } from './limits.ts';
import { isPlainPattern } from './plain-pattern.ts';

/** What the validator makes of a pattern of a schema. */
interface BoundedPattern {
  test(text: string): boolean;
  /** The validator keeps compiled patterns by this text: two patterns with the same one would be the first of them. */
  toString(): string;
}

/** How the validator compiles patterns: the option `code.regExp` of Ajv. */
type PatternCompiler = { (pattern: string, flags: string): RegExp; code: string };

/**
 * Compiles the patterns of one schema so that a foreign server cannot stall the gateway: a pattern that could run away, that
 * is no regular expression or that meets a long text is left to that server. Such a pattern passes where that can only let more
 * arguments pass; in a schema where it could refuse some, a RangeError says that the arguments cannot be judged.
 */
export function boundedPatterns(schemaText: string): PatternCompiler {
  const leaveToServer = REFUSES_WHAT_PASSES.test(schemaText) ? notJudged : () => true;
  const compile = (pattern: string, flags: string): BoundedPattern => {
    const expression = isPlainPattern(pattern) ? expressionOf(pattern, flags) : undefined;
    return {
      test: (text) =>
        expression && text.length <= SEARCH_LIMITS.patternTextCharsMax ? expression.test(text) : leaveToServer(),
      toString: () => pattern,
    };
  };
  // The validator calls nothing of a RegExp but these two methods.
  return Object.assign(compile, { code: 'boundedPatterns' }) as unknown as PatternCompiler;
}

/** Keywords under which a part that passes can make the whole fail. */
const REFUSES_WHAT_PASSES = /"(?:not|oneOf|if|patternProperties|maxContains)":/;

function notJudged(): never {
  throw new RangeError('a pattern cannot be judged');
}

/** Undefined for a text that is no regular expression, such as one in the dialect of another language. */
function expressionOf(pattern: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return undefined;
  }
}
