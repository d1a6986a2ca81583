/** The command lines of `bindery` in the shell blocks of a page, lines that go on joined, comments and prompts taken off. */
export function commandLines(page: string): string[] {
  const blocks = [...page.matchAll(/```(?:sh|bash|console)\n([\s\S]*?)```/g)].map((match) => match[1] as string);
  return blocks
    .flatMap((block) => block.replaceAll(/\\\n\s*/g, '').split('\n'))
    .map((line) =>
      line
        .replace(/^\$ /, '')
        .replace(/^npx (?=bindery\b)/, '')
        .replace(/\s+#\s.*$/, '')
        .trim(),
    )
    .filter((line) => /^bindery(\s|$)/.test(line) && !/[|>;&]/.test(line.replaceAll(/'[^']*'|"[^"]*"/g, '')));
}

/** The words of a line as a shell splits it, as far as pages need that. */
export function wordsOf(line: string): string[] {
  return (line.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []).map((word) => word.replaceAll(/^['"]|['"]$/g, ''));
}
