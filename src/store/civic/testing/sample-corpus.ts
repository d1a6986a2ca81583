/** A small sample corpus, as files by path. */
export const SAMPLE_CORPUS: Readonly<Record<string, string>> = {
  'skills/sample-move/canonical.md': skill('sample-move', 'alpha'),
  'skills/sample-birth/canonical.md': skill(
    'sample-birth',
    'beta',
    'requires_paths: [{ id: sample-portal, role: submission, timing: after-birth }]\n',
  ),
  'skills/sample-marriage/canonical.md': skill('sample-marriage', 'stable'),
  'skills/sample-hidden/canonical.md': skill('sample-hidden', 'draft'),
  'paths/sample-portal.yaml': `id: sample-portal
title: Sample portal
purpose: submission
themes: [residence]
status: beta
version: 1.0.0
sources:
  - id: web
    source_class: deeplink-after-auth
    url: https://portal.example.org/start
    priority: 10
    validation_path: { success_signals: [form-visible], failure_signals: [not-found] }
  - id: vault
    source_class: federal-auth-handoff
    url: https://vault.example.org/deliver
    audited_document_delivery: true
`,
  'catalogue/values.yaml': `- { uid: val-01, name: fee, value: "25", unit: EUR, status: alpha, version: 1.0.0, last_verified: 2026-01-01 }
- { uid: val-02, name: days, value: "8", status: stable, version: 1.0.0, last_verified: 2026-01-01 }
`,
  'catalogue/references.yaml': `- { uid: ref-01, name: law, url: "https://law.example.org/1", usage: citation, status: alpha, version: 1.0.0, last_verified: 2026-01-01 }
`,
};

export function skill(id: string, status: string, more = ''): string {
  return `---
id: ${id}
title: Sample ${id}
summary: A sample text about ${id}.
status: ${status}
version: 1.0.0
origin: community
category: sample-commune
applies_to: { region: [brussels] }
citations: [{ url: "https://law.example.org/${id}", archived_url: "https://archive.example.org/${id}" }]
${more}---
# Sample ${id}

Pay <VV name="fee" uid="val-01"/> at the desk.

Bring the card.
Bring the form.
`;
}
