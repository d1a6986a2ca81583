import { ERRORS } from '../contract/errors.ts';
import type { AnyOperation } from '../contract/operation.ts';
import { inputSchemaOf } from '../contract/text-input.ts';
import { escapeHtml, htmlPage } from './html.ts';

/** Operations → a page for people: every route, tool, command, input and error. */
export function referencePage(operations: readonly AnyOperation[], version: string): string {
  return htmlPage(
    'Bindery reference',
    `<h1>Bindery reference</h1>
<p class="faint">Version ${escapeHtml(version)}. For programs: <a href="/openapi.json">openapi.json</a>.</p>
<h2>Operations</h2>
${operations.map(operationSection).join('\n')}
<h2>Errors</h2>
<table><tr><th>code</th><th>HTTP</th><th>exit</th><th>meaning</th><th>what to do next</th></tr>
${Object.entries(ERRORS).map(errorRow).join('\n')}
</table>`,
  );
}

function operationSection(operation: AnyOperation): string {
  const faces = [
    operation.http ? `<code>${operation.http.method} ${escapeHtml(operation.http.path)}</code>` : '',
    operation.mcp ? `tool <code>${escapeHtml(operation.mcp.tool)}</code>` : '',
    operation.cli ? `<code>bindery ${escapeHtml(operation.cli.command)}</code>` : '',
  ].filter(Boolean);
  return `<h3 id="${escapeHtml(operation.id)}">${escapeHtml(operation.id)}</h3>
<p>${escapeHtml(operation.summary)}</p>
<p class="faint">${faces.join(' · ')}</p>
${inputTable(operation)}`;
}

function inputTable(operation: AnyOperation): string {
  const schema = inputSchemaOf(operation.input);
  const rows = Object.entries(schema.properties).map(
    ([name, property]) =>
      `<tr><td><code>${escapeHtml(name)}</code></td><td>${escapeHtml(typeText(property))}${schema.required.includes(name) ? '' : ', optional'}</td><td>${escapeHtml(property.description ?? '')}</td></tr>`,
  );
  return rows.length === 0 ? '' : `<table><tr><th>input</th><th>type</th><th></th></tr>${rows.join('')}</table>`;
}

function typeText(property: { type?: string; enum?: readonly unknown[]; items?: { type?: string } }): string {
  if (property.enum) return property.enum.map(String).join(' | ');
  if (property.type === 'array') return `list of ${property.items?.type ?? 'values'}`;
  return property.type ?? 'any';
}

function errorRow([code, row]: [string, { title: string; http: number; exit: number; next: string }]): string {
  return `<tr id="${escapeHtml(code)}"><td><code>${escapeHtml(code)}</code></td><td>${row.http}</td><td>${row.exit}</td><td>${escapeHtml(row.title)}</td><td>${escapeHtml(row.next)}</td></tr>`;
}
