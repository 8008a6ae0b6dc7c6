import { describe, expect, it } from 'vitest';
import { cheapest, furtherWays, runningServers } from '../../src/auth/providers';
import { linksIn } from '../../src/doctor/links';

describe("the doctor's page", () => {
  it('has links to the commands, the setting, the log and the files that it names', () => {
    const text = [
      '- Placet was not found. Run "Placet: Install…", or set placet.command to the command.',
      '- log: output channel "Placet"',
      '- session store: /home/ada/.local/share/placet/placet.db',
      '- 3 rules, from: /home/ada/.config/placet/placet.json, built in',
    ].join('\n');
    expect(linksIn(text).map(({ start, end, target }) => [text.slice(start, end), target])).toEqual([
      ['Placet: Install…', 'command:placet.install'],
      ['placet.command', 'command:workbench.action.openSettings?%5B%22placet.command%22%5D'],
      ['"Placet"', 'command:placet.showLog'],
      ['/home/ada/.local/share/placet/placet.db', '/home/ada/.local/share/placet/placet.db'],
      ['/home/ada/.config/placet/placet.json', '/home/ada/.config/placet/placet.json'],
    ]);
  });
});

describe('the sign-in', () => {
  const models = [
    { id: 'groq/large', outputPrice: 3 },
    { id: 'groq/small', outputPrice: 0.1 },
    { id: 'ollama_chat/a', server: 'Ollama at http://127.0.0.1:11434' },
    { id: 'ollama_chat/b', server: 'Ollama at http://127.0.0.1:11434' },
  ];

  it('checks a key with the cheapest model of the provider', () => {
    expect(cheapest(models, 'groq')).toBe('groq/small');
    expect(cheapest(models, 'acme')).toBeUndefined();
  });

  it('lists a running server once, with the number of its models', () => {
    expect(runningServers(models)).toEqual([
      { provider: 'ollama_chat', title: 'Ollama at http://127.0.0.1:11434', models: 2 },
    ]);
  });

  it('lists the key of a known provider once, and every other way', () => {
    const key = { provider: 'anthropic', method: 1, label: 'Enter the key' };
    const other = { provider: 'acme', method: 1, label: 'Enter the key' };
    const plugin = { provider: 'openai', method: 1, label: 'ChatGPT', plugin: 'x' };
    expect(furtherWays([key, other, plugin])).toEqual([other, plugin]);
  });
});
