import { parseRange } from '../../contract/ip-address.ts';

/**
 * The formats that policy checks in arguments, by their JSON Schema 2020-12 names. Each check is linear, because callers control the
 * text.
 */
export const SCHEMA_FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDate,
  time: isTime,
  'date-time': (text) => /^.{10}[Tt]/s.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11)),
  duration: (text) =>
    /^P(?!$)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?)$/.test(text),
  email: (text) => text.length <= 320 && /^[^\s@"<>()[\]\\,;:]+@[^\s@]+$/.test(text) && isHostname(text.split('@')[1]),
  hostname: isHostname,
  ipv4: (text) => /^(?:\d{1,3}\.){3}\d{1,3}$/.test(text) && parseRange(text) !== undefined,
  ipv6: (text) => /^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$/.test(text) && parseRange(text) !== undefined,
  uri: (text) => /^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]*$/.test(text) && URL.canParse(text),
  uuid: (text) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
};

function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  // `Date.parse` reads a day that a month does not have as one of the next month.
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function isTime(text: string): boolean {
  return /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/.test(text);
}

function isHostname(text: string | undefined): boolean {
  if (text === undefined || text.length > 253) return false;
  return text.split('.').every((label) => /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/.test(label));
}
