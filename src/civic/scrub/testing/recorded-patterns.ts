/** Every regular expression that runs over a text of at least `lengthMin` while `work` does, by source and flags. */
export function recordPatterns(lengthMin: number, work: () => void): RegExp[] {
  const seen = new Map<string, RegExp>();
  const native = RegExp.prototype.exec;
  // Every method of strings and patterns that searches goes through `exec` once it is replaced.
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
