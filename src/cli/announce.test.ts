import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { placeLines } from './announce.ts';

test('a gateway says which variables name its directories, so that commands in another terminal find it', () => {
  expect(placeLines({ HOME: '/home/ada' })).toEqual([]);
  expect(placeLines({ BINDERY_DATA_DIR: 'my data', BINDERY_CONFIG_PATH: '/c.json', BINDERY_LAYOUT: 'xdg' })).toEqual([
    'For commands in another terminal:',
    `  export BINDERY_CONFIG_PATH=/c.json BINDERY_DATA_DIR='${resolve('my data')}' BINDERY_LAYOUT=xdg`,
    '',
  ]);
});
