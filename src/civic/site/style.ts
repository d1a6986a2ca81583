/** The one style sheet: light and dark, from phones to wide screens, in both text directions. */
export const STYLE = `:root {
  color-scheme: light dark;
  --paper: #fbfaf7; --surface: #ffffff; --ink: #1c2129; --faint: #5c6470; --line: #e4e1d8; --accent: #8a2f2b;
  --ok: #2f7d4f; --asks: #2d5bbf; --warning: #8f5a00; --failed: #b3261e; --ins: #e6f4ea; --del: #fbe9e7;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14161a; --surface: #1b1e24; --ink: #e8e6e1; --faint: #9aa1ad; --line: #2c3038; --accent: #e5958a;
    --ok: #6fcf97; --asks: #8fb3ff; --warning: #e8b45a; --failed: #ff8a80; --ins: #17301f; --del: #3a1d1b;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1.0625rem/1.6 system-ui, "Noto Sans", "Noto Sans Arabic", sans-serif; overflow-wrap: break-word; }
a { color: var(--accent); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--asks); outline-offset: 2px; border-radius: 2px; }
.skip { position: absolute; inset-inline-start: -99rem; }
.skip:focus { inset-inline-start: 1rem; top: .5rem; background: var(--surface); padding: .5rem 1rem; z-index: 1; }
header, main, footer { max-width: 62rem; margin-inline: auto; padding-inline: 1.25rem; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; align-items: baseline; padding-block: 1rem; border-block-end: 1px solid var(--line); }
header .name { font-weight: 650; font-size: 1.1rem; color: var(--ink); text-decoration: none; }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .1rem 1rem; margin: 0; padding: 0; }
nav a { display: inline-block; padding-block: .3rem; }
nav a[aria-current] { color: var(--ink); font-weight: 600; text-decoration: none; }
main { padding-block: 1.5rem 4rem; }
main.text > :not(table, figure, .wide) { max-width: 44rem; }
footer { padding-block: 1.5rem 3rem; border-block-start: 1px solid var(--line); color: var(--faint); font-size: .92rem; }
h1 { font-size: 1.9rem; line-height: 1.2; letter-spacing: -.012em; margin: .25rem 0 .5rem; text-wrap: balance; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 .5rem; }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .3rem; }
p, ul, ol, dl, blockquote, pre { margin-block: .6rem; }
li { margin-block: .2rem; }
main > div { margin-block-start: 1.2rem; }
.lead { font-size: 1.15rem; color: var(--faint); margin-block: 0 1rem; }
.faint { color: var(--faint); }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.25rem; padding: .9rem 1.1rem; background: var(--surface); border: 1px solid var(--line); border-radius: 8px; font-size: .96rem; }
.facts dt { color: var(--faint); } .facts dd { margin: 0; }
.status { white-space: nowrap; } .alpha { color: var(--warning); } .beta { color: var(--asks); } .stable { color: var(--ok); }
.value { font-weight: 600; text-decoration-style: dotted; }
.risk { border-inline-start: 4px solid var(--warning); padding-inline-start: .8rem; }
.gone { color: var(--failed); }
blockquote { margin-inline: 0; padding-inline-start: 1rem; border-inline-start: 3px solid var(--line); color: var(--faint); }
code, pre { font: .9em/1.5 ui-monospace, "Cascadia Mono", Menlo, monospace; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--surface); border: 1px solid var(--line); border-radius: 6px; padding: .7rem .9rem; }
.diff { direction: ltr; text-align: left; padding-inline: 0; } .diff span { display: block; padding-inline: .9rem; min-height: 1.5em; }
.diff ins, .diff del { display: block; padding-inline: .9rem; text-decoration: none; }
.diff ins { background: var(--ins); } .diff del { background: var(--del); } .diff .at { color: var(--faint); }
table { border-collapse: collapse; width: 100%; font-size: .96rem; }
th, td { text-align: start; vertical-align: top; padding: .45rem .9rem .45rem 0; border-block-end: 1px solid var(--line); }
th { font-weight: 600; color: var(--faint); }
.table { overflow-x: auto; margin-block: .8rem; border: 1px solid var(--line); border-radius: 6px; background: var(--surface); }
.table table { width: auto; min-width: 100%; } .table th, .table td { padding: .4rem .8rem; } .table tbody tr:last-child > * { border-block-end: 0; }
th.center, td.center { text-align: center; } th.end, td.end { text-align: end; }
.info { margin-block-end: -.4rem; font-size: .85rem; }
.list { list-style: none; padding: 0; } .list > li { padding-block: .6rem; border-block-end: 1px solid var(--line); margin: 0; }
.list p { margin: .1rem 0 0; }
form { display: flex; flex-wrap: wrap; gap: .5rem; margin-block: 1rem; } form label { width: 100%; font-weight: 600; }
input[type=search] { flex: 1 1 16rem; max-width: 32rem; font: inherit; padding: .5rem .7rem; color: inherit; background: var(--surface); border: 1px solid var(--faint); border-radius: 6px; }
button { font: inherit; padding: .5rem 1.1rem; border: 1px solid var(--accent); border-radius: 6px; background: var(--accent); color: var(--paper); cursor: pointer; }
figure { margin: 1rem 0; overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--surface); }
svg text { font: 13px system-ui, sans-serif; fill: var(--ink); } svg a:hover text { text-decoration: underline; } svg path { fill: none; stroke: var(--faint); stroke-opacity: .55; } svg rect { fill: var(--paper); stroke: var(--line); }
time { white-space: nowrap; }
@media (max-width: 40rem) {
  body { font-size: 1rem; } h1 { font-size: 1.55rem; } .facts { grid-template-columns: 1fr; gap: 0; } .facts dd { margin-block-end: .5rem; }
  table, tbody, tr, td { display: block; } thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); } tr { padding-block: .5rem; border-block-end: 1px solid var(--line); } td { border: 0; padding: .1rem 0; }
  .table table { display: table; } .table thead { display: table-header-group; position: static; width: auto; height: auto; overflow: visible; clip-path: none; } .table tbody { display: table-row-group; } .table tr { display: table-row; }
  .table th, .table td { display: table-cell; min-width: 7rem; padding: .4rem .7rem; border-block-end: 1px solid var(--line); }
}
@media print { header nav, footer, form { display: none; } body { background: none; } }
`;

/** The favicon. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect x="2" y="1" width="12" height="14" rx="1.5" fill="#8a2f2b"/><path d="M5 5h6M5 8h6M5 11h4" stroke="#fbfaf7" stroke-width="1.4"/></svg>
`;

/** The search of a static copy, which needs no server; without it the page shows the whole list. It writes text only, never markup. */
export const SEARCH_SCRIPT = `'use strict';
(() => {
  const form = document.querySelector('form[role=search]');
  const index = document.getElementById('index');
  const list = document.getElementById('results');
  const count = document.getElementById('count');
  if (!form || !index || !list || !count) return;
  const fold = (text) => text.normalize('NFKC').toLowerCase();
  const entries = JSON.parse(index.textContent).map((entry) => ({ ...entry, title_: fold(entry.title), text_: fold(entry.title + ' ' + entry.text) }));
  const show = () => {
    const words = fold(form.elements.q.value).split(/\\s+/).filter(Boolean);
    const hits = entries.filter((entry) => words.every((word) => entry.text_.includes(word)));
    const score = (entry) => words.filter((word) => entry.title_.includes(word)).length;
    hits.sort((a, b) => score(b) - score(a));
    count.textContent = words.length ? (hits.length ? hits.length + ' ' + form.dataset.found : form.dataset.nothing) : '';
    list.replaceChildren(...hits.slice(0, 200).map((entry) => {
      const item = document.createElement('li');
      const link = document.createElement('a');
      link.href = form.dataset.root + entry.page;
      link.textContent = entry.title;
      const text = document.createElement('p');
      text.className = 'faint';
      text.textContent = entry.text;
      item.append(link, text);
      return item;
    }));
  };
  form.elements.q.value = new URLSearchParams(location.search).get('q') || '';
  form.addEventListener('submit', (event) => { event.preventDefault(); show(); });
  form.elements.q.addEventListener('input', show);
  show();
})();
`;
