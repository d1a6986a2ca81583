import type { ClientConfig } from 'pg';
import { BinderyError } from '../../contract/errors.ts';
import { DATABASE_LIMITS } from './limits.ts';

/** Whether `--db` names a database that nodes can share. */
export function isDatabaseUrl(url: string): boolean {
  return /^postgres(ql)?:\/\//.test(url);
}

/** How a node connects. Errors never quote the address: it may contain a password. */
export function connectionSettings(url: string): ClientConfig {
  if (!isDatabaseUrl(url) || !URL.canParse(url))
    throw new BinderyError('USAGE', { detail: '--db is an address like postgres://user:password@host:5432/database' });
  return {
    connectionString: url,
    application_name: 'bindery',
    connectionTimeoutMillis: DATABASE_LIMITS.connectTimeoutMs,
    query_timeout: DATABASE_LIMITS.queryTimeoutMs,
    statement_timeout: DATABASE_LIMITS.queryTimeoutMs,
    idle_in_transaction_session_timeout: DATABASE_LIMITS.idleInTransactionMs,
    keepAlive: true,
  };
}
