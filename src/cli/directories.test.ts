import { expect, test } from 'vitest';
import { directories } from './directories.ts';

test('folders follow the variables that are named, and nothing else [gateway:G2]', () => {
  const HOME = '/home-of-test';
  expect([
    directories({ HOME }),
    directories({ HOME, BINDERY_LAYOUT: 'xdg' }),
    directories({ HOME, BINDERY_LAYOUT: 'xdg', XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d' }),
    directories({ HOME, XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d' }),
    directories({ HOME, BINDERY_CONFIG_PATH: '/other/my.json' }),
    directories({ HOME, BINDERY_DATA_DIR: '/data', BINDERY_LAYOUT: 'xdg' }),
  ]).toEqual([
    { configDir: `${HOME}/.bindery`, configFile: `${HOME}/.bindery/config.json`, dataDir: `${HOME}/.bindery` },
    {
      configDir: `${HOME}/.config/bindery`,
      configFile: `${HOME}/.config/bindery/config.json`,
      dataDir: `${HOME}/.local/share/bindery`,
    },
    { configDir: '/c/bindery', configFile: '/c/bindery/config.json', dataDir: '/d/bindery' },
    { configDir: `${HOME}/.bindery`, configFile: `${HOME}/.bindery/config.json`, dataDir: `${HOME}/.bindery` },
    { configDir: '/other', configFile: '/other/my.json', dataDir: `${HOME}/.bindery` },
    { configDir: `${HOME}/.config/bindery`, configFile: `${HOME}/.config/bindery/config.json`, dataDir: '/data' },
  ]);
});
