/** The language client shows some messages of the daemon by itself; what they hold of others is made plain before. */
import type { Message, MessageStrategy } from 'vscode-languageclient/node';
import { plain } from '../ui/plain_text';

/** By method, where its words are. */
const WORDS: Record<string, readonly string[]> = {
  'window/showMessage': ['message'],
  'window/showMessageRequest': ['message'],
  '$/progress': ['title', 'message'],
};

export const plainMessages: MessageStrategy = {
  handleMessage: (message, next) => next(plainMessage(message)),
};

export function plainMessage(message: Message): Message {
  const { method, params } = message as { method?: string; params?: Record<string, unknown> };
  const words = WORDS[method ?? ''];
  if (!words || !params) {
    return message;
  }
  const { value } = params;
  const shown = method === '$/progress' ? { ...params, value: withPlain(value, words) } : withPlain(params, words);
  return { ...message, params: shown } as Message;
}

function withPlain(value: unknown, names: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      names.includes(name) && typeof one === 'string' ? plain(one) : one,
    ]),
  );
}
