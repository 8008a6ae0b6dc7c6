/** Providers of models to sign in to, and the servers of models on the user's computer. Pure. */
import type { ModelInfo, SignInWay } from '../wire';

export interface Provider {
  /** Name as in the names of the provider's models. */
  id: string;
  name: string;
  /** Page on which the user gets a key. */
  keys: string;
}

/** Providers that need a single key, the best known first. */
export const PROVIDERS: readonly Provider[] = [
  { id: 'anthropic', name: 'Anthropic (Claude)', keys: 'https://console.anthropic.com/settings/keys' },
  { id: 'openai', name: 'OpenAI (GPT)', keys: 'https://platform.openai.com/api-keys' },
  { id: 'gemini', name: 'Google (Gemini)', keys: 'https://aistudio.google.com/apikey' },
  { id: 'openrouter', name: 'OpenRouter', keys: 'https://openrouter.ai/settings/keys' },
  { id: 'mistral', name: 'Mistral', keys: 'https://console.mistral.ai/api-keys' },
  { id: 'deepseek', name: 'DeepSeek', keys: 'https://platform.deepseek.com/api_keys' },
  { id: 'xai', name: 'xAI (Grok)', keys: 'https://console.x.ai' },
  { id: 'groq', name: 'Groq', keys: 'https://console.groq.com/keys' },
  { id: 'cerebras', name: 'Cerebras', keys: 'https://cloud.cerebras.ai' },
  { id: 'together_ai', name: 'Together AI', keys: 'https://api.together.ai/settings/api-keys' },
  { id: 'fireworks_ai', name: 'Fireworks AI', keys: 'https://app.fireworks.ai/settings/users/api-keys' },
  { id: 'moonshot', name: 'Moonshot (Kimi)', keys: 'https://platform.moonshot.ai/console/api-keys' },
  { id: 'zai', name: 'Z.ai (GLM)', keys: 'https://z.ai/manage-apikey/apikey-list' },
];

/** Names of providers with other ways to sign in than a key. */
const OTHER_NAMES: Readonly<Record<string, string>> = { chatgpt: 'ChatGPT', github_copilot: 'GitHub Copilot' };

export function providerName(id: string): string {
  return PROVIDERS.find((provider) => provider.id === id)?.name ?? OTHER_NAMES[id] ?? id;
}

/** Returns the provider in the name of a model. */
export function providerOf(model: string): string {
  return model.split('/', 1)[0] ?? model;
}

type Offered = Pick<ModelInfo, 'id' | 'server' | 'outputPrice'>;

/** Server of models that runs on the user's computer. */
export interface RunningServer {
  provider: string;
  /** Name and address, such as `Ollama at http://127.0.0.1:11434`. */
  title: string;
  models: number;
}

export function runningServers(models: readonly Offered[]): RunningServer[] {
  const servers = new Map<string, RunningServer>();
  for (const { id, server } of models) {
    if (server !== undefined) {
      const known = servers.get(server) ?? { provider: providerOf(id), title: server, models: 0 };
      servers.set(server, { ...known, models: known.models + 1 });
    }
  }
  return [...servers.values()];
}

/** Returns the sign-in ways other than the key of a known provider, which the list of providers offers anyway. */
export function furtherWays(ways: readonly SignInWay[]): SignInWay[] {
  return ways.filter(
    ({ provider, plugin, label }) =>
      plugin !== undefined || label !== 'Enter the key' || !PROVIDERS.some(({ id }) => id === provider),
  );
}

/** Returns the model of a provider with the cheapest answers, for a check of the key; undefined without any model. */
export function cheapest(models: readonly Offered[], provider: string): string | undefined {
  const own = models.filter(({ id }) => providerOf(id) === provider);
  const priced = own.filter(({ outputPrice }) => outputPrice !== undefined && outputPrice > 0);
  const [first] = priced.toSorted((a, b) => (a.outputPrice ?? 0) - (b.outputPrice ?? 0));
  return (first ?? own[0])?.id;
}
