// Search over titles and headings, and the theme that the console was given. The pages work without it.
const theme = localStorage.getItem('bindery_console_theme');
if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme;

const contents = document.querySelector('.contents');
const isWide = matchMedia('(min-width: 900px)');
const showContents = () => {
  contents.open = isWide.matches;
};
isWide.addEventListener('change', showContents);
showContents();

const input = document.querySelector('#search');
const found = document.querySelector('#found');
document.querySelector('.search').hidden = false;

let pages;
async function rows() {
  pages ??= fetch('/docs/search.json').then((response) => response.json());
  return (await pages).flatMap(({ href, title, headings }) => [
    { text: title, href },
    ...headings.map(([text, id]) => ({ text: `${title}: ${text}`, href: `${href}#${id}` })),
  ]);
}

const RESULTS_MAX = 12;

async function search() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const matches =
    words.length === 0
      ? []
      : (await rows()).filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
  found.replaceChildren(
    ...matches.slice(0, RESULTS_MAX).map(row),
    ...(words.length > 0 && matches.length === 0 ? [none()] : []),
  );
  found.hidden = words.length === 0;
}

function row({ text, href }) {
  const item = document.createElement('li');
  const link = document.createElement('a');
  link.href = href;
  link.textContent = text;
  item.append(link);
  return item;
}

function none() {
  const item = document.createElement('li');
  item.textContent = 'Nothing found.';
  return item;
}

input.addEventListener('input', search);
found.addEventListener('click', () => {
  found.hidden = true;
});
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && document.activeElement !== input) {
    event.preventDefault();
    input.focus();
  }
  if (event.key === 'Escape') found.hidden = true;
  if (event.key === 'Enter' && document.activeElement === input) found.querySelector('a')?.click();
});
