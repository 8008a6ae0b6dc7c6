/** Where prompts are written: completion, history, attachments, who answers, and what becomes of it while a turn runs. */
import { Component, createRef } from 'preact';
import { attachmentOf, droppedUris } from './attachment';
import { AttachmentChip } from './attachment_chip';
import { COMMANDS, type Command } from './commands';
import { type History, newHistory, remember, walk } from './history';
import { keep, post, recall, request } from './host';
import { type Completed, complete, mentionOf, type Trigger, triggerAt } from './mention';
import type { Store } from './store';
import { type Suggestion, suggestions } from './suggestion';
import { Toolbar } from './toolbar';
import { WhoPicker } from './who';

interface State {
  text: string;
  trigger: Trigger | undefined;
  suggestions: readonly Suggestion[];
  place: number;
  picker: 'agent' | 'model' | undefined;
  agent: string | undefined;
  model: string | undefined;
  isDropping: boolean;
}

interface Props {
  store: Store;
  run: (command: Command['name']) => void;
}

export class Composer extends Component<Props, State> {
  override state: State = {
    text: recall().draft ?? '',
    trigger: undefined,
    suggestions: [],
    place: 0,
    picker: undefined,
    agent: undefined,
    model: undefined,
    isDropping: false,
  };
  readonly #input = createRef<HTMLTextAreaElement>();
  #history: History = newHistory(recall().prompts ?? []);
  #asked = 0;
  #hasTyped = false;

  override componentDidMount(): void {
    this.#fit();
  }

  focus(): void {
    this.#input.current?.focus();
  }

  /** Put text where the caret is. */
  write(text: string): void {
    const input = this.#input.current;
    const [start, end] = [input?.selectionStart ?? 0, input?.selectionEnd ?? 0];
    const { text: old } = this.state;
    this.#set({ text: old.slice(0, start) + text + old.slice(end), caret: start + text.length });
    this.focus();
  }

  pick(picker: 'agent' | 'model'): void {
    this.setState({ picker });
  }

  #unpick = (): void => {
    this.setState({ picker: undefined });
    this.focus();
  };

  render() {
    const { store } = this.props;
    const { text, suggestions, place, trigger, picker, isDropping } = this.state;
    const isOpen = trigger !== undefined && suggestions.length > 0;
    return (
      <section
        class={isDropping ? 'composer dropping' : 'composer'}
        aria-label="Prompt"
        onDragOver={this.#dragged}
        onDragLeave={() => this.setState({ isDropping: false })}
        onDrop={this.#dropped}
      >
        {isOpen && this.#suggestionList()}
        {picker && (
          <WhoPicker
            store={store}
            kind={picker}
            chosen={this.state}
            onPick={(name) => void this.#choose(picker, name)}
            onClose={this.#unpick}
          />
        )}
        {store.attachments.length > 0 && (
          <ul class="chips" aria-label="Attached">
            {store.attachments.map((one) => (
              <li key={one.uri}>
                <AttachmentChip attachment={one} onRemove={() => store.detach(one)} />
              </li>
            ))}
          </ul>
        )}
        <textarea
          ref={this.#input}
          rows={1}
          value={text}
          aria-label="Ask Placet"
          aria-autocomplete="list"
          aria-controls={isOpen ? 'suggestions' : undefined}
          aria-activedescendant={isOpen ? `suggestion-${place}` : undefined}
          placeholder="Ask Placet: @ for files, / for commands"
          onInput={this.#typed}
          onKeyDown={this.#pressed}
          onPaste={this.#pasted}
          onClick={() => this.#suggest()}
        />
        <Toolbar
          store={store}
          chosen={this.state}
          isEmpty={text.trim() === '' && store.attachments.length === 0}
          onPicker={(one) => this.pick(one)}
          onSend={(queue) => this.#send(queue)}
        />
      </section>
    );
  }

  #suggestionList() {
    const { suggestions, place } = this.state;
    return (
      <ul class="picker above" id="suggestions" role="listbox" aria-label="Suggestions">
        {suggestions.map((one, index) => (
          <li
            key={one.text}
            id={`suggestion-${index}`}
            role="option"
            aria-selected={index === place}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => this.#accept(one)}
          >
            <span class="choice-label">{one.label}</span>
            <span class="choice-detail">{one.detail}</span>
          </li>
        ))}
      </ul>
    );
  }

  async #choose(kind: 'agent' | 'model', name: string): Promise<void> {
    const { store } = this.props;
    if (!store.conversation) {
      this.setState(kind === 'agent' ? { agent: name } : { model: name });
      return;
    }
    const info = await store.act((sessionId) =>
      kind === 'agent'
        ? request('agent/session/setAgent', { sessionId, agent: name })
        : request('agent/session/setModel', { sessionId, model: name }),
    );
    if (info && store.conversation?.info.id === info.id) {
      store.conversation.info = { ...store.conversation.info, ...info };
      store.changed();
    }
  }

  #typed = (): void => {
    const text = this.#input.current?.value ?? '';
    this.setState({ text });
    keep({ draft: text });
    if (!this.#hasTyped) {
      this.#hasTyped = true;
      const sessionId = this.props.store.conversation?.info.id;
      post({ type: 'notify', method: 'agent/didType', params: sessionId === undefined ? {} : { sessionId } });
    }
    this.#fit();
    void this.#suggest();
  };

  #pressed = (event: KeyboardEvent): void => {
    if (event.isComposing) {
      return;
    }
    const { trigger, suggestions, place, text } = this.state;
    const suggestion = trigger && suggestions[place];
    if (suggestion && this.#pressedInSuggestions(event, suggestion)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      this.#send(event.ctrlKey || event.metaKey ? 'steer' : 'after');
    } else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      const step = event.key === 'ArrowUp' ? -1 : 1;
      const input = this.#input.current;
      const isAtEdge =
        input && input.selectionStart === input.selectionEnd && isOnEdgeLine(text, input.selectionStart, step);
      const walked = isAtEdge ? walk(this.#history, step, text) : undefined;
      if (walked) {
        event.preventDefault();
        this.#history = walked.history;
        this.#set({ text: walked.text, caret: step < 0 ? 0 : walked.text.length });
      }
    }
  };

  #pressedInSuggestions(event: KeyboardEvent, suggestion: Suggestion): boolean {
    const { suggestions, place } = this.state;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      this.setState({ place: (place + step + suggestions.length) % suggestions.length });
    } else if ((event.key === 'Enter' && !event.shiftKey) || event.key === 'Tab') {
      this.#accept(suggestion);
    } else if (event.key === 'Escape') {
      this.setState({ trigger: undefined });
    } else {
      return false;
    }
    return true;
  }

  async #suggest(): Promise<void> {
    const input = this.#input.current;
    const trigger = input ? triggerAt(input.value, input.selectionStart) : undefined;
    this.#asked++;
    const asked = this.#asked;
    if (!trigger) {
      this.setState({ trigger: undefined });
      return;
    }
    const found = await suggestions(this.props.store, input?.value ?? '', trigger);
    if (asked === this.#asked) {
      this.setState({ trigger, suggestions: found, place: 0 });
    }
  }

  #accept(suggestion: Suggestion): void {
    const { trigger, text } = this.state;
    if (!trigger) {
      return;
    }
    const own = trigger.kind === 'command' && COMMANDS.find((one) => `/${one.name}` === suggestion.text);
    this.setState({ trigger: undefined });
    if (own) {
      this.#set({ text: '', caret: 0 });
      this.props.run(own.name);
    } else {
      this.#set(complete(text, suggestion.trigger, suggestion.text), () => void this.#suggest());
    }
  }

  #send(queue: 'steer' | 'after'): void {
    const { store } = this.props;
    const { text, agent, model } = this.state;
    const own = COMMANDS.find((one) => `/${one.name}` === text.trim());
    if (!own && text.trim() === '' && store.attachments.length === 0) {
      return;
    }
    this.#history = remember(this.#history, text);
    keep({ prompts: this.#history.prompts });
    this.#hasTyped = false;
    this.#set({ text: '', caret: 0 });
    if (own) {
      this.props.run(own.name);
    } else {
      void store.send(text, queue, agent, model);
    }
  }

  #pasted = (event: ClipboardEvent): void => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length > 0) {
      event.preventDefault();
      void this.#attachAll(files);
    }
  };

  #dragged = (event: DragEvent): void => {
    event.preventDefault();
    if (!this.state.isDropping) {
      this.setState({ isDropping: true });
    }
  };

  #dropped = async (event: DragEvent): Promise<void> => {
    event.preventDefault();
    this.setState({ isDropping: false });
    const data = event.dataTransfer;
    if (!data) {
      return;
    }
    const uris = droppedUris(data);
    const files = [...data.files];
    if (uris.length > 0) {
      const mentions = await request('host/mentions', { uris });
      this.write(mentions.map((one) => `${mentionOf(one)} `).join(''));
      if (mentions.length === uris.length) {
        return;
      }
    }
    await this.#attachAll(files);
  };

  async #attachAll(files: readonly File[]): Promise<void> {
    const { store } = this.props;
    for (const file of files) {
      try {
        store.attach(await attachmentOf(file));
      } catch (error) {
        store.problem = error instanceof Error ? error.message : String(error);
        store.speak(store.problem, true);
      }
    }
    this.focus();
  }

  #set({ text, caret }: Completed, then?: () => void): void {
    this.setState({ text }, () => {
      this.#input.current?.setSelectionRange(caret, caret);
      this.#fit();
      then?.();
    });
    keep({ draft: text });
  }

  /** As high as its text, up to what the style sheet allows. */
  #fit(): void {
    const input = this.#input.current;
    if (input) {
      input.style.height = 'auto';
      input.style.height = `${input.scrollHeight + 2}px`;
    }
  }
}

function isOnEdgeLine(text: string, caret: number, step: -1 | 1): boolean {
  return step < 0 ? !text.slice(0, caret).includes('\n') : !text.slice(caret).includes('\n');
}
