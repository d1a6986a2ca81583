import { keyName } from '../data/callers.ts';
import { t } from '../texts.ts';
import { Line } from './shown.tsx';

interface CallerProps {
  readonly caller: string | undefined;
  readonly user?: string | undefined;
  readonly client?: { readonly name: string; readonly version: string } | null | undefined;
  /** Shows the id of the key too. */
  readonly isWhole?: boolean;
  /** The gateway escaped hidden characters in the name of the client, as it does in an approval. */
  readonly isEscaped?: boolean;
}

/** The caller: the name that the gateway verified comes first; the client's own claim is marked as such. */
export function Caller({ caller, user, client, isWhole = false, isEscaped = false }: CallerProps) {
  const name = keyName(caller) ?? user;
  return (
    <>
      <Line text={name ?? caller ?? '–'} max={60} />
      {isWhole && name !== undefined && (
        <span class="faint">
          {' '}
          (<Line text={caller ?? ''} max={80} />)
        </span>
      )}
      {client && (
        <span class="faint" title={t.common.selfDeclared}>
          {` · ${t.common.callsItself} “`}
          <Line text={isWhole ? `${client.name} ${client.version}` : client.name} max={60} isEscaped={isEscaped} />”
        </span>
      )}
    </>
  );
}
