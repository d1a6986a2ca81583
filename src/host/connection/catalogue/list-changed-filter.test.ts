import { expect, test } from 'vitest';
import { listChangedFilter } from './catalogue.ts';

test('only announced changes are subscribed to', () => {
  const told = { listChanged: true };
  expect([
    listChangedFilter({ tools: told, prompts: told, resources: told }),
    listChangedFilter({ tools: {}, prompts: told, resources: { listChanged: 'yes' } }),
    listChangedFilter({ tools: true, other: told }),
    listChangedFilter({ tools: told }),
    listChangedFilter({ resources: told }),
  ]).toEqual([
    { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true },
    { promptsListChanged: true },
    {},
    { toolsListChanged: true },
    { resourcesListChanged: true },
  ]);
});
