import { BinderyError } from '../../contract/errors.ts';
import { valueAt } from '../../contract/json-pointer.ts';
import { type Approval, argumentsSha256 } from './approval.ts';

/** Reveals the exact arguments, or the part at a pointer. Throws if they do not match the digest. */
export function revealedText(
  approval: Pick<Approval, 'arguments_sha256'>,
  exact: string | undefined,
  path: string | undefined,
): string {
  if (exact === undefined) throw new BinderyError('ARGUMENTS_NOT_KEPT');
  const args: unknown = JSON.parse(exact);
  if (argumentsSha256(args) !== approval.arguments_sha256)
    throw new BinderyError('ARGUMENTS_NOT_KEPT', { detail: 'what is kept is not what the digest says' });
  if (path === undefined || path === '') return exact;
  const found = valueAt(args, path);
  if (!found) throw new BinderyError('ARGUMENT_NOT_FOUND', { members: { path } });
  return JSON.stringify(found.value);
}
