import { expect, it } from 'vitest';
import { LINKED_COMMANDS } from '../../src/doctor/links';
import { pageOf } from '../../src/doctor/page';
import { markdown, type Section } from '../../src/doctor/report';

const ADDRESSES = { fileAddress: (path: string) => `command:open?${path}`, copyAddress: 'command:copy' };
const SECTIONS: readonly Section[] = [
  { title: 'Problems', lines: ['Run "Placet: Install…", or set placet.command.'], isGrave: true },
  {
    title: 'Placet',
    lines: ['model: `a<b`', 'session store: /data/placet.db', '<img src=x onerror=alert(1)> & "more"'],
  },
];
const page = pageOf(SECTIONS, ADDRESSES, 'de', 'n0nce');

it("the doctor's page links the commands and the files that it names", () => {
  const links = [...page.matchAll(/<a href="([^"]*)">([^<]*)<\/a>/g)].map(([, address, text]) => [text, address]);
  expect(links).toEqual([
    ['Copy Report', 'command:copy'],
    ['Placet: Install…', 'command:placet.install'],
    ['placet.command', 'command:workbench.action.openSettings?%5B%22placet.command%22%5D'],
    ['/data/placet.db', 'command:open?/data/placet.db'],
  ]);
});

it("the doctor's page shows marks of Markdown as code, and text of the machine as text", () => {
  expect(page).toContain('<li>model: <code>a&lt;b</code></li>');
  expect(page).toContain('<li>&lt;img src=x onerror=alert(1)&gt; &amp; &quot;more&quot;</li>');
  expect(page).not.toContain('`');
  expect(page).not.toContain('<img');
});

it("the doctor's page runs no script, and its only style is its own", () => {
  expect(page).toContain(`content="default-src 'none'; style-src 'nonce-n0nce'"`);
  expect(page).not.toContain('<script');
});

it("the links of the doctor's page lead to a fixed list of commands", () => {
  expect(LINKED_COMMANDS).toEqual([
    'placet.install',
    'placet.chooseModel',
    'placet.signIn',
    'workbench.trust.manage',
    'workbench.action.openSettings',
    'placet.showLog',
  ]);
});

it('the copied report is Markdown', () => {
  expect(markdown([{ title: 'Placet', lines: ['model: `a`', 'log: b'] }])).toBe(
    '# Placet: Doctor\n\n## Placet\n\n- model: `a`\n- log: b\n',
  );
});
