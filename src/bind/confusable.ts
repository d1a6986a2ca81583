import { domainToUnicode } from 'node:url';

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
  const host = domainToUnicode(new URL(endpoint).hostname);
  return host.split('.').some((label) => {
    const scripts = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];
    return scripts.filter((script) => script.test(label)).length > 1;
  });
}
