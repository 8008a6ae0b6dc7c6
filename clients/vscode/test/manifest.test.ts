import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { LISTED_SETTINGS } from '../src/daemon/listed_settings';

const ROOT = path.join(import.meta.dirname, '..');
const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
const texts: Record<string, string> = JSON.parse(readFileSync(path.join(ROOT, 'package.nls.json'), 'utf8'));
const { contributes } = manifest;
const [, PANEL] = /PANEL_TYPE = '([^']+)'/.exec(readFileSync(path.join(ROOT, 'src/chat/panel.ts'), 'utf8')) ?? [];
const commands: string[] = contributes.commands.map((entry: { command: string }) => entry.command);

it('menus and keys name commands that there are', () => {
  const items = [...contributes.keybindings, ...Object.values<{ command?: string }[]>(contributes.menus).flat()];
  for (const { command } of items) {
    expect(!command?.startsWith('placet.') || commands.includes(command), command).toBe(true);
  }
});

it('every key has a condition, so that it is free elsewhere', () => {
  for (const { key, when } of contributes.keybindings) {
    expect(when, key).toBeTruthy();
  }
});

it('each step of the walkthrough is ticked by a state of the window, and none by a click', () => {
  const contexts = readFileSync(path.join(ROOT, 'src/status/milestones.ts'), 'utf8');
  for (const step of contributes.walkthroughs[0].steps) {
    expect(step.completionEvents.length).toBeGreaterThan(0);
    for (const event of step.completionEvents) {
      const [kind, name] = event.split(':');
      expect(kind, event).toBe('onContext');
      expect(contexts).toMatch(new RegExp(`(this\\.reach\\(|'setContext', )'${name}'`));
    }
    expect(existsSync(path.join(ROOT, step.media.markdown)), step.media.markdown).toBe(true);
  }
});

it('links of the walkthrough run commands that there are', () => {
  const links = Object.values(texts).flatMap((text) =>
    [...text.matchAll(/\(command:([\w.]+)/g)].map(([, command]) => command),
  );
  expect(links.length).toBeGreaterThan(0);
  for (const link of links) {
    expect(commands.includes(link ?? '') || link?.startsWith('workbench.'), link).toBe(true);
  }
});

it('nothing but a link, a restored tab of the chat and the look at the index activates it that is not its own', () => {
  expect(manifest.activationEvents).toEqual(['onStartupFinished', 'onUri', `onWebviewPanel:${PANEL}`]);
  const entry = readFileSync(path.join(ROOT, 'src/extension.ts'), 'utf8');
  expect(entry).toContain(`registerWebviewPanelSerializer('${PANEL}'`);
});

it('settings that run something cannot be set by a folder that is not trusted', () => {
  const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
  const sent = ['command', 'settings', 'model', 'agent', 'reviewMode', ...LISTED_SETTINGS];
  expect(restrictedConfigurations).toEqual(expect.arrayContaining(sent.map((name) => `placet.${name}`)));
  expect(contributes.configuration.properties['placet.command'].scope).toBe('machine');
});

it('tools for language models are named as verb and noun, and say what they do', () => {
  for (const tool of contributes.languageModelTools) {
    expect(tool.name).toMatch(/^(get|propose)_[a-z_]+$/);
    expect(tool.modelDescription.length).toBeGreaterThan(80);
  }
});
