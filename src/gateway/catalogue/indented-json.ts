const SPACES_PER_LEVEL = 2;

/**
 * The lines of `JSON.stringify(value, null, 2)`, made from compact JSON. Stops indenting at a level, because a deeply nested value would
 * consist mostly of blanks. A truncated text gives the lines up to its end.
 */
export function indentedLines(json: string, levelsMax: number): string[] {
  const lines: string[] = [];
  let level = 0;
  let line = '';
  const next = (complete: string) => {
    lines.push(complete);
    line = ' '.repeat(SPACES_PER_LEVEL * Math.min(level, levelsMax));
  };
  for (let at = 0; at < json.length; ) {
    const start = at;
    const character = json[at] as string;
    at += 1;
    if (character === '{' || character === '[') {
      if (json[at] === '}' || json[at] === ']') {
        line += character + json[at];
        at += 1;
      } else {
        level += 1;
        next(line + character);
      }
    } else if (character === '}' || character === ']') {
      level -= 1;
      next(line);
      line += character;
    } else if (character === ',') next(`${line},`);
    else if (character === ':') line += ': ';
    else {
      at = character === '"' ? stringEnd(json, at) : literalEnd(json, at);
      line += json.slice(start, at);
    }
  }
  lines.push(line);
  return lines;
}

function stringEnd(json: string, from: number): number {
  for (let at = from; at < json.length; at += 1) {
    if (json[at] === '\\') at += 1;
    else if (json[at] === '"') return at + 1;
  }
  return json.length;
}

function literalEnd(json: string, from: number): number {
  let at = from;
  while (at < json.length && !ENDS_LITERAL.has(json[at] as string)) at += 1;
  return at;
}

const ENDS_LITERAL = new Set([',', '}', ']']);
