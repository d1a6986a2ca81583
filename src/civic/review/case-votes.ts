import { THRESHOLDS } from '../config.ts';
import { artefactOf } from '../lifecycle/cast-validation.ts';
import { atLeast, below, voteProgress } from '../lifecycle/vote-progress.ts';
import type { Desk } from '../submissions/desk.ts';
import type { Case } from './case-shape.ts';

const DAY_MS = 86_400_000;

/** The target of a case, with its votes against the thresholds. */
export function targetVotes(desk: Desk, targetType: string | undefined, targetId: string | undefined): Case['target'] {
  if (targetType === undefined || targetId === undefined) return undefined;
  const [type, id] = artefactOf(targetType, targetId);
  const artefact = desk.store.artefact(type, id);
  if (!artefact) return undefined;
  const votes = voteProgress(artefact, desk.clock.now());
  return { type, id, version: artefact.version, status: artefact.state, votes };
}

/** Votes on an amendment against the thresholds; undefined if it takes no votes. */
export function amendmentVotes({ store }: Desk, submissionId: string): Case['amendment_votes'] {
  const votes = store.amendments.votes(submissionId);
  // The author's own row opens an amendment to votes.
  if (votes.length === 0) return undefined;
  const counted = votes.filter(({ verdict }) => verdict !== 'author');
  const confirms = counted.filter(({ verdict }) => verdict === 'confirm').length;
  const rejects = counted.length - confirms;
  const utc_days = new Set(counted.map(({ at }) => Math.floor(at / DAY_MS))).size;
  const rule = THRESHOLDS.amendment;
  return {
    confirms,
    rejects,
    utc_days,
    toward: [
      {
        to: 'rejected',
        conditions: [
          atLeast('rejects', rejects, rule.rejects),
          below('confirms', confirms, 1),
          atLeast('utc_days', utc_days, rule.utc_days),
        ],
      },
      {
        to: 'merged',
        conditions: [
          atLeast('confirms', confirms, rule.confirms),
          below('rejects', rejects, 1),
          atLeast('utc_days', utc_days, rule.utc_days),
        ],
      },
    ],
  };
}
