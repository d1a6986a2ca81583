import { type ListedSetting, listed } from '../host/config/settings/setting.ts';
import { SETTINGS } from '../host/config/settings-table.ts';
import { BIND_SETTINGS, RESOLVER_SETTINGS } from './rooms/bind-config.ts';
import { CATALOG_SETTINGS } from './rooms/catalog-deps.ts';
import { CIVIC_SETTINGS } from './rooms/civic-config.ts';
import { CONTEXT_SETTINGS } from './rooms/context-config.ts';

/** Every key of config.json, including those of the rooms. `bindery up` loads only the records that it reads. */
export const ALL_SETTINGS: readonly ListedSetting[] = [
  ...SETTINGS,
  ...listed('context', CONTEXT_SETTINGS),
  ...listed('bind', BIND_SETTINGS),
  ...listed('bind.resolvers.*', RESOLVER_SETTINGS),
  ...listed('civic', CIVIC_SETTINGS),
  ...listed('catalog', CATALOG_SETTINGS),
];
