import { BinderyError } from './errors.ts';

/** The value of a JSON text. Throws `INVALID_ARGUMENTS` for a number that would lose digits. */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, ((_name: string, value: unknown, { source }: { readonly source?: string }) => {
    if (typeof value === 'number' && source !== undefined) exactNumber(source);
    return value;
  }) as (name: string, value: unknown) => unknown);
}

/** The value of a JSON number. Throws `INVALID_ARGUMENTS` if a double cannot represent it. */
export function exactNumber(text: string): number {
  const value = Number(text);
  if (decimal(text) === decimal(String(value))) return value;
  throw new BinderyError('INVALID_ARGUMENTS', {
    detail: `${text} would be changed to ${value}: numbers have about 16 digits here`,
    next: 'Write it as a text in quotation marks, if the tool takes one, or send the call through /mcp, which keeps all digits.',
  });
}

/** The digits of a number without leading and trailing zeros, and the exponent of the last one: equal for equal values. */
function decimal(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const shown = digits.replace(/0+$/, '');
  if (whole === '') return text;
  if (shown === '') return '0';
  return `${sign}${shown}e${Number(exponent) - fraction.length + digits.length - shown.length}`;
}
