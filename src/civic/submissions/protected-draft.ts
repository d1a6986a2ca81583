import { type ProtectedChange, protectedChange } from '../protection/protected-fields.ts';
import type { Draft } from './item-types.ts';

/** Why a maintainer decides about a draft: it is new, and it may replace another artefact. */
export function protectedFieldsOfDraft(draft: Draft): ProtectedChange[] {
  // An erased draft has no content.
  const { content } = draft as Partial<Draft>;
  const members = content === undefined ? {} : 'entry' in content ? content.entry : content.frontmatter;
  const fields = ['new_artefact', ...(Object.hasOwn(members, 'supersedes') ? ['supersedes' as const] : [])] as const;
  return fields.flatMap((field) => protectedChange(field) ?? []);
}
