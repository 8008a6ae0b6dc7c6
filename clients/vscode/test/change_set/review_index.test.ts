/** The index of waiting changes, which the window reads without a daemon. */
import { expect, it } from 'vitest';
import { hasChanges, indexPath } from '../../src/change_set/review_index';

it('lies in the data directory of the platform, as the daemon writes the index', () => {
  expect(indexPath('linux', {}, '/home/ada')).toBe('/home/ada/.local/share/placet/to-review.json');
  expect(indexPath('linux', { XDG_DATA_HOME: '/data' }, '/home/ada')).toBe('/data/placet/to-review.json');
  expect(indexPath('linux', { XDG_DATA_HOME: 'data' }, '/home/ada')).toBe(
    '/home/ada/.local/share/placet/to-review.json',
  );
  expect(indexPath('darwin', {}, '/Users/ada')).toBe('/Users/ada/Library/Application Support/placet/to-review.json');
  expect(indexPath('win32', { LOCALAPPDATA: 'C:\\Data' }, 'C:\\Users\\ada')).toBe('C:\\Data\\placet\\to-review.json');
  expect(indexPath('win32', {}, 'C:\\Users\\ada')).toBe('C:\\Users\\ada\\AppData\\Local\\placet\\to-review.json');
});

it('lists the folders with changes to review, however the URI is spelled', () => {
  const text = (uri: string) => JSON.stringify({ version: 1, folders: { [uri]: { files: 3, sessions: 1 } } });
  expect(hasChanges(text('file:///home/ada/a%20b%C3%A9'), ['/home/ada/a bé'], 'linux')).toBe(true);
  expect(hasChanges(text('file:///home/ada/project'), ['/home/ada', '/home/ada/Project'], 'linux')).toBe(false);
  expect(hasChanges(text('file:///C:/Users/Ada/p'), ['c:\\users\\ada\\p'], 'win32')).toBe(true);
});

it('says nothing where the text is no index of this version', () => {
  const folders = { 'file:///p': { files: 1, sessions: 1 } };
  const texts = ['', '{', 'null', '[]', '{"version": 1}', JSON.stringify({ version: 2, folders })];
  const unread = [...texts, '{"version": 1, "folders": {"http://p": {}}}', '{"version": 1, "folders": 3}'];
  expect(unread.map((text) => hasChanges(text, ['/p'], 'linux'))).toEqual(unread.map(() => false));
  expect(hasChanges(JSON.stringify({ version: 1, folders }), ['/p'], 'linux')).toBe(true);
});
