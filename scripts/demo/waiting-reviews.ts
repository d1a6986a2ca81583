import { randomBytes } from 'node:crypto';

const CAPABILITIES = ['file_read', 'structured_output', 'multi_turn', 'tool_execution', 'web_fetch'];
/** It names a person, so the scrub holds it, and a maintainer decides from the diff. */
const AMENDMENT = {
  target_type: 'skill',
  target_id: 'sample-address-change',
  base_version: '1.0.0',
  content: {
    amendment_subtype: 'body_diff',
    body_diff: {
      diff: [
        '@@ -48,3 +48,3 @@',
        ' 1. Report within <VV name="report-deadline" uid="val-01"/> of the move through <Path id="sample-portal"/>.',
        '-2. Wait for the visit of the local officer.',
        '+2. Wait for the visit of the local officer, who comes within a month and asks for the lease.',
        ' 3. Have the chip of the card updated; it costs <VV name="update-fee" uid="val-02"/>.',
        '',
      ].join('\n'),
    },
  },
  rationale: 'Sample: my name is Anna Peeters, and the officer asked for the lease.',
  evidence_url: 'https://law.example.org/1',
};
const FEEDBACK = { body: 'Sample: the page on parking permits is clear, thank you.', topic: 'praise' };

/** Sends submissions that a maintainer must decide, as agents would. Does nothing if no corpus is served. */
export async function waitingReviews(url: string): Promise<void> {
  await submit(`${url}/api/amendments`, AMENDMENT);
  await submit(`${url}/api/feedback-channel`, FEEDBACK);
}

async function submit(address: string, item: object): Promise<void> {
  const body = {
    schema_version: 1,
    session_id: `ses_${uuid7()}`,
    submitted_at: new Date().toISOString(),
    submitting_agent: 'sample-writer/1.0',
    submission_contract_version: '1.0.0',
    declared_capabilities: CAPABILITIES,
    ...item,
  };
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok && response.status !== 404 && response.status !== 409)
    console.error(`demo: ${address} answered ${response.status}: ${await response.text()}`);
}

function uuid7(): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes[6] = 0x70 | ((bytes[6] as number) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
