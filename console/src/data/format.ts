const THIN = '\u202f';
const groups = new Intl.NumberFormat('en-US');

/** `1 204`, with thin no-break spaces. */
export function count(value: number): string {
  return groups.format(value).replaceAll(',', THIN);
}

/** Microseconds as milliseconds: `3.4 ms`. */
export function ms(us: number | null | undefined): string {
  if (us === null || us === undefined) return '–';
  const value = us / 1_000;
  if (value >= 10_000) return `${(value / 1_000).toFixed(1)}${THIN}s`;
  return `${value >= 100 ? count(Math.round(value)) : value.toFixed(1)}${THIN}ms`;
}

export function bytes(value: number): string {
  if (value < 1_000) return `${value}${THIN}B`;
  if (value < 1_000_000) return `${(value / 1_000).toFixed(1)}${THIN}KB`;
  return `${(value / 1_000_000).toFixed(1)}${THIN}MB`;
}

/** `1.2k` */
export function tokens(value: number): string {
  if (value < 1_000) return String(value);
  return value < 100_000 ? `${(value / 1_000).toFixed(1)}k` : `${Math.round(value / 1_000)}k`;
}

export function percent(part: number, whole: number): string {
  if (whole === 0) return '0%';
  const share = (100 * part) / whole;
  // Less than the whole must not read as 100%.
  if (share > 99 && share < 100) return `${Math.floor(share * 10) / 10}%`;
  return `${share < 10 && share > 0 ? share.toFixed(1) : Math.round(share)}%`;
}

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const;

/** `3 min`: in one unit. */
export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1_000));
  const [size, unit] = UNITS.find(([one]) => seconds >= one) ?? [1, 's'];
  return `${Math.floor(seconds / size)}${THIN}${unit}`;
}

/** What a server says, without the command of a terminal: the console has a button for it. */
export function withoutSignInCommand(text: string): string {
  return text.replace(/:? ?run `bindery mcp auth login [^`]*`/, '');
}

const two = (value: number) => String(value).padStart(2, '0');

export function clock(time: Date | number | string): string {
  const date = new Date(time);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

export function day(time: Date | number | string): string {
  const date = new Date(time);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
