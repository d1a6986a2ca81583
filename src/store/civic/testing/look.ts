import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ArtefactType } from '../../../civic/lifecycle/artefact.ts';
import { address, ROUTES, vote } from './requests.ts';
import { DAY, type WriteRoom } from './write-room.ts';

let voters = 5000;

/** Helpers to inspect a room from a test, and to vote in it. */
export function look(room: () => WriteRoom) {
  const file = (path: string) => readFileSync(join(room().corpusDir, path), 'utf8');
  return {
    file,
    state: (type: ArtefactType, id: string) => room().deps.store.artefact(type, id)?.state,
    statusLine: (id: string) => /^status: (\w+)/m.exec(file(`skills/${id}/canonical.md`))?.[1],
    /** Keys of the long-lived salts of these ids; without ids, of all. */
    salts: (...ids: string[]) =>
      room()
        .deps.salts.keys()
        .filter((key) => !key.startsWith('daily:'))
        .filter((key) => ids.length === 0 || ids.includes(key.slice(key.indexOf(':') + 1))),
    /** Lets a day pass, during which other addresses confirm every amendment that needs consensus. */
    async agree() {
      const confirmAll = async (count: number) => {
        const { amendments } = (await room().get('/api/staged')).body;
        for (const { submission_id, base_version, gate } of amendments) {
          if (gate !== 'consensus') continue;
          for (let n = 0; n < count; n++) {
            const changes = { target_type: 'amendment', target_version: base_version };
            const sent = vote('confirm', submission_id, changes);
            const { status, body } = await room().post(ROUTES.validation, sent, address(voters++));
            if (status !== 202) throw new Error(`the vote was not taken: ${JSON.stringify(body)}`);
          }
        }
      };
      await confirmAll(2);
      await room().wait(DAY);
      await confirmAll(1);
    },
    /** Votes from `count` new addresses. */
    async cast(verdict: 'confirm' | 'reject', count: number, id = 'sample-move', changes: object = {}) {
      for (let n = 0; n < count; n++) {
        const { status, body } = await room().post(ROUTES.validation, vote(verdict, id, changes), address(voters++));
        if (status !== 202) throw new Error(`the vote was not taken: ${JSON.stringify(body)}`);
      }
    },
  };
}
