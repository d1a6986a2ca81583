/** Every regular expression that runs on a text of at least `lengthMin` during `work`, by source and flags. */
export function recordPatterns(lengthMin: number, work: () => void): RegExp[] {
  const seen = new Map<string, RegExp>();
  const native = RegExp.prototype.exec;
  // Once `exec` is replaced, every searching method of strings and patterns calls it.
  RegExp.prototype.exec = function (this: RegExp, text: string): RegExpExecArray | null {
    if (text.length >= lengthMin && !seen.has(`${this}`)) seen.set(`${this}`, new RegExp(this.source, this.flags));
    return native.call(this, text);
  };
  try {
    work();
  } finally {
    RegExp.prototype.exec = native;
  }
  return [...seen.values()];
}
