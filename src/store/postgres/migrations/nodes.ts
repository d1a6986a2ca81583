import type { Migrations } from '../../migrate.ts';

/** Keys that nodes sign with, and what they tell each other. */
export const nodesMigrations: Migrations = {
  part: 'nodes',
  steps: [
    `CREATE TABLE node_messages (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, node TEXT NOT NULL, body TEXT NOT NULL, expires_at BIGINT NOT NULL
);
CREATE INDEX node_messages_by_node ON node_messages (node, id)`,
  ],
};
