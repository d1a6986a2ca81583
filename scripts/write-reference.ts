import { readFileSync, writeFileSync } from 'node:fs';
import { referencePages, troubleshootPage } from './reference.ts';

for (const [name, page] of Object.entries(referencePages())) {
  writeFileSync(new URL(`../docs/reference/${name}`, import.meta.url), page);
}
const guide = new URL('../docs/guides/troubleshoot.md', import.meta.url);
writeFileSync(guide, troubleshootPage(readFileSync(guide, 'utf8')));
