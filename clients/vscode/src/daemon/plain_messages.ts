/** Makes the foreign text plain in the daemon's messages before the language client shows such a message. */
import type { Message, MessageStrategy } from 'vscode-languageclient/node';
import { plain } from '../ui/plain_text';

/** Fields with texts, by method. */
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
    Object.entries(value).map(([name, field]) => [
      name,
      names.includes(name) && typeof field === 'string' ? plain(field) : field,
    ]),
  );
}
