/** A copy of a part of a text: the part itself would keep the whole text in memory. */
export function ownText(part: string): string {
  return Buffer.from(part).toString('utf8');
}
