import type { Definition, Image, ImageReference, Link, LinkReference, Nodes, Parents, Root } from 'mdast';
import { REFERENCE_USAGES } from '../config.ts';
import { bodyTree, isTooTangled, nodesOf, rangeOf } from './body-tree.ts';
import { tagAt } from './tags.ts';

/** A part of a body that its page does not show. */
export interface HiddenText {
  readonly text: string;
  /** In UTF-16 units of the body. */
  readonly start: number;
  readonly end: number;
}

/** A quick test: most bodies have no reference links, link titles, or tags with text or odd attributes. */
const MAY_HIDE =
  /\]:|\]\[|\]\(\s*(?:<|[^\s()\\]*[\s(\\])|!\[[^\]]*\[|<VV[^<>]*[^<>/]>|<[A-Z][^<>]*\s(?:usage|last_verified|category)\s*=/;
const WORD = /[\p{L}\p{N}]+/gu;
/** A label without meaning: a number, or a few letters. */
const PLAIN_LABEL = /^(?:\d{1,6}|[\p{L}\p{N}]{1,3})$/u;
/** The destination of a link, as written. */
const DESTINATION = /^\s*(?:<(?:[^<>\\\n]|\\.)*>|[^\s]*)/;
const ATTRIBUTE = /\s([a-z_]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const DATE = /^\d{4}(?:-\d{2}){0,2}$/;

/**
 * Lists what agents read in a body but people do not see on its page: unused definitions, titles of links, labels of more than three
 * letters, text in a value's tag, attributes that no page shows. Everything else with a letter or digit is on the page; a link's URL counts
 * as shown, because the link leads there.
 */
export function hiddenTexts(body: string): HiddenText[] {
  if (!MAY_HIDE.test(body)) return [];
  if (isTooTangled(body)) return [{ text: body, start: 0, end: body.length }];
  const { root } = bodyTree(body);
  const shown = new ShownText(body, root);
  shown.visit(root);
  return shown.rest();
}

/** The definition of each label: the first one counts. */
export function definitionsOf(root: Root): ReadonlyMap<string, Definition> {
  const definitions = new Map<string, Definition>();
  for (const node of nodesOf(root)) {
    if (node.type === 'definition' && !definitions.has(node.identifier)) definitions.set(node.identifier, node);
  }
  return definitions;
}

class ShownText {
  readonly #body: string;
  readonly #isShown: Uint8Array;
  readonly #definitions: ReadonlyMap<string, Definition>;
  readonly #used: ReadonlySet<string>;
  /** Labels that the page shows as the words of a link. */
  readonly #readable: ReadonlySet<string>;

  constructor(body: string, root: Root) {
    this.#body = body;
    this.#isShown = new Uint8Array(body.length);
    this.#definitions = definitionsOf(root);
    const references = [...nodesOf(root)].filter(
      (node): node is LinkReference | ImageReference => node.type === 'linkReference' || node.type === 'imageReference',
    );
    this.#used = new Set(references.map(({ identifier }) => identifier));
    this.#readable = new Set(
      references.filter(({ referenceType }) => referenceType !== 'full').map(({ identifier }) => identifier),
    );
  }

  /** Marks the parts of a node that the page shows. */
  visit(node: Nodes): void {
    const [start, end] = rangeOf(node);
    switch (node.type) {
      case 'text':
      case 'inlineCode':
      case 'code':
        this.#show(start, end);
        return;
      case 'definition':
        this.#definition(node);
        return;
      case 'link':
        this.#resource(this.#endOfWords(node), end, '](');
        break;
      case 'linkReference':
        this.#label(this.#endOfWords(node), end, node.label ?? '');
        break;
      case 'image':
      case 'imageReference':
        this.#picture(node);
        return;
      case 'listItem':
        this.#show(start, node.children[0] ? rangeOf(node.children[0])[0] : end);
        break;
    }
    if ('children' in node) this.#children(node);
  }

  /** The unmarked parts that contain a letter or digit. */
  rest(): HiddenText[] {
    const found: HiddenText[] = [];
    for (let at = 0; at < this.#body.length; ) {
      if (this.#isShown[at]) {
        at += 1;
        continue;
      }
      const start = at;
      while (at < this.#body.length && !this.#isShown[at]) at += 1;
      const text = this.#body.slice(start, at);
      if (/[\p{L}\p{N}]/u.test(text)) found.push({ text: text.trim(), start, end: at });
    }
    return found;
  }

  #show(start: number, end: number): void {
    this.#isShown.fill(1, start, end);
  }

  /** Inside an expanded value the page shows the value of the catalogue. */
  #children(node: Parents): void {
    let inValue = false;
    for (const child of node.children) {
      if (child.type === 'html') inValue = this.#markup(child, inValue);
      else if (!inValue) this.visit(child);
    }
  }

  #markup(node: Nodes, wasInValue: boolean): boolean {
    const [start, end] = rangeOf(node);
    let inValue = wasInValue;
    for (let at = start; at < end; ) {
      const tag = this.#body[at] === '<' ? tagAt(this.#body, at) : undefined;
      if (!tag || tag.end > end) {
        if (!inValue) this.#show(at, at + 1);
        at += 1;
        continue;
      }
      this.#show(at, tag.end);
      this.#hideAttributes(tag.name, at, tag.end);
      if (tag.name === 'VV') inValue = tag.kind === 'open';
      at = tag.end;
    }
    return inValue;
  }

  #hideAttributes(tag: string, start: number, end: number): void {
    for (const { 0: whole, 1: name = '', 2: double, 3: simple, index } of this.#body
      .slice(start, end)
      .matchAll(ATTRIBUTE)) {
      if (!isShownAttribute(tag, name, double ?? simple ?? '')) {
        this.#isShown.fill(0, start + index, start + index + whole.length);
      }
    }
  }

  #definition(node: Definition): void {
    const [start, end] = rangeOf(node);
    const { identifier, label } = node;
    if (this.#definitions.get(identifier) !== node || !this.#used.has(identifier)) return;
    const close = this.#body.indexOf(']:', start);
    if (this.#readable.has(identifier) || PLAIN_LABEL.test(label ?? '')) this.#show(start, close);
    this.#resource(close, end, ']:');
  }

  /** Marks the URL after `mark` as shown, but not its title. */
  #resource(from: number, end: number, mark: string): void {
    const at = this.#body.indexOf(mark, from);
    if (at === -1 || at >= end) return;
    const rest = this.#body.slice(at + mark.length, end);
    const written = DESTINATION.exec(rest)?.[0].length ?? 0;
    this.#show(at, at + mark.length + written);
  }

  #label(from: number, end: number, label: string): void {
    const words = this.#body.slice(from, end);
    if (!words.startsWith('][') || PLAIN_LABEL.test(label)) this.#show(from, end);
  }

  /** An image is shown by its alternative text. */
  #picture(node: Image | ImageReference): void {
    const [start, end] = rangeOf(node);
    const source = this.#body.slice(start, end);
    const mark = node.type === 'image' ? '](' : '][';
    const at = source.lastIndexOf(mark);
    const close = at === -1 ? source.length : at;
    const said = new Set(node.alt?.match(WORD) ?? []);
    const isSaid = (source.slice(0, close).match(WORD) ?? []).every((word) => said.has(word));
    if (isSaid) this.#show(start, start + close);
    if (node.type === 'image') this.#resource(start + close, end, mark);
    else this.#label(start + close, end, node.label ?? '');
  }

  #endOfWords(node: Link | LinkReference): number {
    const last = node.children.at(-1);
    const [start] = rangeOf(node);
    const from = last ? rangeOf(last)[1] : start + 1;
    const close = this.#body.indexOf(']', from);
    return close === -1 ? from : close;
  }
}

/** Whether the page shows an attribute, or a check restricts its values. */
function isShownAttribute(tag: string, name: string, value: string): boolean {
  if (name === 'last_verified') return DATE.test(value);
  if (name === 'usage') return (REFERENCE_USAGES as readonly string[]).includes(value);
  return tag !== 'Providers' || /^[a-z]+(?:-[a-z]+){0,3}$/.test(value);
}
