/** Names that look alike to a reader share a skeleton. */
export function skeleton(name: string): string {
  return name
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replaceAll('cl', 'd')
    .replaceAll('0', 'o')
    .replaceAll(/[1i]/g, 'l')
    .replaceAll('5', 's')
    .replaceAll('_', '-');
}

/** Whether one label of the host mixes scripts whose letters look alike, as imitations of a known name do. */
export function mixesScripts(endpoint: string): boolean {
  const labels = new URL(endpoint).hostname.split('.');
  return labels.some((label) => {
    const text = label.startsWith('xn--') ? decodePunycode(label.slice('xn--'.length)) : label;
    const scripts = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];
    return scripts.filter((script) => script.test(text)).length > 1;
  });
}

/** RFC 3492, for labels that the URL parser has accepted. */
function decodePunycode(label: string): string {
  const [base, tMin, tMax, skew, damp] = [36, 1, 26, 38, 700];
  const delimiter = label.lastIndexOf('-');
  const output = delimiter > 0 ? [...label.slice(0, delimiter)].map((letter) => letter.codePointAt(0) as number) : [];
  let [code, index, bias, at] = [128, 0, 72, delimiter > 0 ? delimiter + 1 : 0];
  while (at < label.length) {
    const before = index;
    for (let weight = 1, k = base; at < label.length; k += base) {
      const digit = Number.parseInt(label[at] as string, 36);
      at += 1;
      // Letters are 0 to 25 and digits 26 to 35: the reverse of base 36.
      const value = digit < 10 ? digit + 26 : digit - 10;
      index += value * weight;
      const threshold = Math.min(Math.max(k - bias, tMin), tMax);
      if (value < threshold) break;
      weight *= base - threshold;
    }
    const length = output.length + 1;
    let delta = Math.floor((index - before) / (before === 0 ? damp : 2));
    delta += Math.floor(delta / length);
    let steps = 0;
    for (; delta > ((base - tMin) * tMax) / 2; steps += base) delta = Math.floor(delta / (base - tMin));
    bias = steps + Math.floor(((base - tMin + 1) * delta) / (delta + skew));
    code += Math.floor(index / length);
    index %= length;
    output.splice(index, 0, code);
    index += 1;
  }
  return String.fromCodePoint(...output);
}
