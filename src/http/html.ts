const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text that is safe inside elements and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

/** A whole page in the house style: no scripts, no external resources. */
export function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
<body>
${body}
</body>
</html>
`;
}

const STYLE = `
:root { color-scheme: light dark; --ink: #1d2430; --paper: #fbfaf7; --line: #d9d5cb; --accent: #7a2e2e; --faint: #667; --code: #f1eee6; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e4da; --paper: #16191f; --line: #343a45; --accent: #e0a08a; --faint: #9aa3b2; --code: #20252e; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 2.5rem 1.25rem 5rem; background: var(--paper); color: var(--ink); font: 16px/1.55 ui-sans-serif, system-ui, sans-serif; }
h1 { font-size: 1.7rem; letter-spacing: -.01em; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; margin: 2.5rem 0 .5rem; border-bottom: 1px solid var(--line); padding-bottom: .3rem; }
h3 { font-size: 1rem; margin: 1.6rem 0 .2rem; }
p { margin: .3rem 0 .8rem; } .faint { color: var(--faint); }
a { color: var(--accent); }
code, pre { font: .86em/1.5 ui-monospace, monospace; background: var(--code); border-radius: 4px; }
code { padding: .1em .3em; } pre { padding: .8rem 1rem; white-space: pre-wrap; overflow-wrap: anywhere; } pre code { padding: 0; background: none; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; } th, td { text-align: left; padding: .35rem .6rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; color: var(--faint); }
`;
