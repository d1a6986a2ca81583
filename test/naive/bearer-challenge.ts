import type { BearerChallenge } from '../../src/host/oauth/challenge.ts';

const NAME = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** What can stand next in a header, in the order in which it is tried: each takes the text from its beginning. */
const NEXT = {
  parameter: new RegExp(`^(${NAME})\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s,"]+))`, 's'),
  unfinished: new RegExp(`^${NAME}\\s*=\\s*"(?:[^"\\\\]|\\\\.)*\\\\?$`, 's'),
  withoutValue: new RegExp(`^${NAME}\\s*=\\s*`),
  scheme: new RegExp(`^(${NAME})`),
  text: /^"(?:[^"\\]|\\.)*(?:"|\\?$)/s,
  other: /^./s,
};

/** A Bearer challenge, read by cutting off what was understood. */
export function readChallenge(header: string): BearerChallenge {
  const found: Record<string, string> = Object.create(null);
  let isOurs = false;
  let asksForToken = false;
  for (let rest = header; rest !== ''; ) {
    const kind = (Object.keys(NEXT) as (keyof typeof NEXT)[]).find((one) => NEXT[one].test(rest)) as keyof typeof NEXT;
    const [whole = '', name = '', quoted, plain] = NEXT[kind].exec(rest) ?? [];
    if (kind === 'parameter' && isOurs) found[name.toLowerCase()] ??= quoted?.replace(/\\(.)/gs, '$1') ?? plain ?? '';
    if (kind === 'scheme') isOurs = /^(bearer|dpop)$/i.test(name);
    asksForToken ||= isOurs;
    rest = rest.slice(whole.length);
  }
  return { asksForToken, resourceMetadata: found.resource_metadata, scope: found.scope, error: found.error };
}
