/** Completion of the unfinished `@…` or `/…` at the caret, controlled by the keys of the composer. */
import * as l10n from '@vscode/l10n';
import type { Store } from '../state/store';
import { type Trigger, triggerAt } from './mention';
import { type Suggestion, suggestions } from './suggestion';

export class Completion {
  suggestions: readonly Suggestion[] = [];
  /** Index of the current suggestion. */
  place = 0;
  #trigger: Trigger | undefined;
  #asked = 0;
  readonly #store: Store;
  readonly #changed: () => void;
  readonly #accepted: (suggestion: Suggestion, trigger: Trigger) => void;

  constructor(store: Store, changed: () => void, accepted: (suggestion: Suggestion, trigger: Trigger) => void) {
    this.#store = store;
    this.#changed = changed;
    this.#accepted = accepted;
  }

  get isOpen(): boolean {
    return this.suggestions.length > 0;
  }

  /** Updates the suggestions for the text before the caret. */
  async update(text: string, caret: number): Promise<void> {
    const trigger = triggerAt(text, caret);
    this.#asked++;
    const request = this.#asked;
    if (!trigger) {
      this.close();
      return;
    }
    const matches = await suggestions(this.#store, text, trigger);
    if (request === this.#asked) {
      this.#show(matches, trigger);
    }
  }

  close(): void {
    this.#asked++;
    if (this.isOpen) {
      this.#show([], undefined);
    }
  }

  /** Handles a key; returns true if the key was for the list. */
  pressed(event: KeyboardEvent): boolean {
    const { suggestions, place } = this;
    const suggestion = suggestions[place];
    if (!suggestion) {
      return false;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      this.place = (place + step + suggestions.length) % suggestions.length;
      this.#changed();
    } else if ((event.key === 'Enter' && !event.shiftKey) || event.key === 'Tab') {
      this.accept(suggestion);
    } else if (event.key === 'Escape') {
      this.close();
    } else {
      return false;
    }
    return true;
  }

  accept(suggestion: Suggestion): void {
    const trigger = this.#trigger;
    this.close();
    if (trigger) {
      this.#accepted(suggestion, trigger);
    }
  }

  #show(matches: readonly Suggestion[], trigger: Trigger | undefined): void {
    this.suggestions = matches;
    this.place = 0;
    this.#trigger = trigger;
    if (matches.length > 0) {
      this.#store.speak(
        matches.length === 1 ? l10n.t('1 suggestion') : l10n.t('{0} suggestions', matches.length),
        false,
      );
    }
    this.#changed();
  }
}
