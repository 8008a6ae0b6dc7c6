/** Composer of prompts: the text with history and completion, the attachments, and the choice of agent and model. */
import * as l10n from '@vscode/l10n';
import { Component, createRef, type RefObject } from 'preact';
import { effortOf } from '../../src/sessions/effort_choices';
import { type Choosable, type Chosen, chooseForSession, currentChoices, withChoice } from '../state/choosing';
import { COMMANDS, type Command } from '../state/commands';
import { keep, post, recall } from '../state/host';
import type { Store } from '../state/store';
import { type Taken, takeDropped, takeFiles } from './attachment';
import { ChoicePicker } from './choice_picker';
import { Completion } from './completion';
import { ContextChips, ContextPicker } from './context';
import { withPrompt } from './draft';
import { type History, newHistory, remember, walk } from './history';
import { type Completed, complete, type Trigger } from './mention';
import type { Suggestion } from './suggestion';
import { SuggestionList } from './suggestion_list';
import { Toolbar } from './toolbar';

interface State {
  text: string;
  picker: Choosable | undefined;
  /** Choices for a session that will start with the next prompt. */
  chosen: Chosen;
  isDropping: boolean;
  /** True while the user picks context to add. */
  isAdding: boolean;
}

interface Props {
  store: Store;
  /** Reference through which the page finds the composer: Preact gives no references to components. */
  handle: RefObject<Composer | null>;
  run: (command: Command['name']) => void;
}

/** Widths at which the long placeholder would be cut off: Chromium draws no ellipsis in a text area. */
const NARROW = window.matchMedia('(max-width: 290px)');

export class Composer extends Component<Props, State> {
  override state: State = {
    text: recall().draft ?? '',
    picker: undefined,
    chosen: {},
    isDropping: false,
    isAdding: false,
  };
  readonly #input = createRef<HTMLTextAreaElement>();
  readonly #completion: Completion;
  #history: History = newHistory(recall().prompts ?? []);
  #hasTyped = false;

  constructor(props: Props) {
    super(props);
    this.#completion = new Completion(props.store, () => this.forceUpdate(), this.#accept);
  }

  override componentDidMount(): void {
    this.props.handle.current = this;
    NARROW.addEventListener('change', this.#resized);
    this.#fit();
  }

  override componentWillUnmount(): void {
    this.props.handle.current = null;
    NARROW.removeEventListener('change', this.#resized);
  }

  #resized = (): void => this.forceUpdate();

  focus(): void {
    this.#input.current?.focus();
  }

  /** Inserts a text at the caret. The method takes no focus from another part of the window. */
  write(text: string, then?: () => void): void {
    const input = this.#input.current;
    const [start, end] = [input?.selectionStart ?? 0, input?.selectionEnd ?? 0];
    const { text: old } = this.state;
    this.#set({ text: old.slice(0, start) + text + old.slice(end), caret: start + text.length }, then);
    if (document.hasFocus()) {
      this.focus();
    }
  }

  /** Puts a prompt in front of the draft for editing, and takes the focus, as the user has asked for the prompt. */
  edit(text: string, instead: string | undefined): void {
    const now = withPrompt(this.state.text, text, instead);
    this.#set({ text: now, caret: text.length });
    this.focus();
  }

  pick(picker: Choosable): void {
    this.setState({ picker });
    if (picker === 'model') {
      void this.props.store.lists.refreshModels();
    }
  }

  render() {
    const { store } = this.props;
    const { text, picker, isDropping, chosen } = this.state;
    const current = currentChoices(store, chosen);
    const { isOpen, place } = this.#completion;
    return (
      <section
        class={isDropping ? 'composer dropping' : 'composer'}
        aria-label={l10n.t('Prompt')}
        onDragOver={this.#dragged}
        onDragLeave={() => this.setState({ isDropping: false })}
        onDrop={this.#dropped}
      >
        <SuggestionList completion={this.#completion} />
        {picker && (
          <ChoicePicker
            store={store}
            kind={picker}
            current={current}
            onPick={(id) => void this.#choose(picker, id)}
            onClose={this.#unpick}
          />
        )}
        <ContextChips store={store} onAdd={() => this.setState({ isAdding: true })} />
        {this.state.isAdding && (
          <ContextPicker
            store={store}
            onClose={() => {
              this.setState({ isAdding: false });
              this.focus();
            }}
            write={(text) => this.write(text, this.#suggest)}
            run={this.props.run}
          />
        )}
        <textarea
          ref={this.#input}
          rows={1}
          value={text}
          aria-label={l10n.t('Ask Placet')}
          aria-autocomplete="list"
          aria-controls={isOpen ? 'suggestions' : undefined}
          aria-activedescendant={isOpen ? `suggestion-${place}` : undefined}
          placeholder={NARROW.matches ? l10n.t('Ask Placet') : l10n.t('Ask Placet: @ for files, / for commands')}
          onInput={this.#typed}
          onKeyDown={this.#pressed}
          onPaste={this.#pasted}
          onClick={() => this.#suggest()}
        />
        <Toolbar
          store={store}
          current={current}
          isEmpty={text.trim() === '' && store.attachments.all.length === 0}
          onPicker={(kind) => this.pick(kind)}
          onSend={(queue) => this.#send(queue)}
          run={this.props.run}
        />
      </section>
    );
  }

  #unpick = (): void => {
    this.setState({ picker: undefined });
    this.focus();
  };

  async #choose(kind: Choosable, id: string): Promise<void> {
    const { store } = this.props;
    const isKept = kind === 'model' || kind === 'effort';
    if (!store.conversation && !isKept) {
      this.setState({ chosen: withChoice(this.state.chosen, kind, id) });
      return;
    }
    const info = await store.act((sessionId) => chooseForSession(kind, sessionId, id));
    if (info && store.conversation?.info.id === info.id) {
      store.conversation.describe(info);
      store.changed();
    }
    if (isKept && (info || !store.conversation)) {
      store.prefer(kind === 'model' ? { model: id } : { effort: effortOf(id) ?? null });
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
    this.#suggest();
  };

  #pressed = (event: KeyboardEvent): void => {
    if (event.isComposing) {
      return;
    }
    if (this.#completion.pressed(event)) {
      event.preventDefault();
      event.stopPropagation();
    } else if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      this.#send(event.ctrlKey || event.metaKey ? 'steer' : 'after');
    } else if ((event.key === 'ArrowUp' || event.key === 'ArrowDown') && !event.altKey) {
      this.#walk(event, event.key === 'ArrowUp' ? -1 : 1);
    }
  };

  #walk(event: KeyboardEvent, step: -1 | 1): void {
    const { text } = this.state;
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

  #suggest = (): void => {
    const input = this.#input.current;
    if (input) {
      void this.#completion.update(input.value, input.selectionStart);
    }
  };

  #accept = (suggestion: Suggestion, trigger: Trigger): void => {
    const own = trigger.kind === 'command' && COMMANDS.find((command) => `/${command.name}` === suggestion.text);
    if (own) {
      this.#set({ text: '', caret: 0 });
      this.props.run(own.name);
    } else {
      this.#set(complete(this.state.text, suggestion.trigger, suggestion.text), this.#suggest);
    }
  };

  #send(queue: 'steer' | 'after'): void {
    const { store } = this.props;
    const { text, chosen } = this.state;
    const own = COMMANDS.find((command) => `/${command.name}` === text.trim());
    if (!own && text.trim() === '' && store.attachments.all.length === 0) {
      return;
    }
    this.#history = remember(this.#history, text);
    keep({ prompts: this.#history.prompts });
    this.#hasTyped = false;
    this.#completion.close();
    this.#set({ text: '', caret: 0 });
    if (own) {
      this.props.run(own.name);
    } else {
      void store.send(text, queue, chosen);
    }
  }

  #pasted = (event: ClipboardEvent): void => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length > 0) {
      event.preventDefault();
      void this.#take(takeFiles(files));
    }
  };

  #dragged = (event: DragEvent): void => {
    event.preventDefault();
    if (!this.state.isDropping) {
      this.setState({ isDropping: true });
    }
  };

  #dropped = (event: DragEvent): void => {
    event.preventDefault();
    this.setState({ isDropping: false });
    if (event.dataTransfer) {
      void this.#take(takeDropped(event.dataTransfer));
    }
  };

  async #take(taking: Promise<Taken>): Promise<void> {
    const { store } = this.props;
    try {
      const { attachments, mentions, problems } = await taking;
      if (mentions !== '') {
        this.write(mentions);
      }
      for (const attachment of attachments) {
        store.attachments.add(attachment);
      }
      if (problems.length > 0) {
        store.fail(problems.join('\n'));
      }
    } catch (error) {
      store.fail(error);
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

  /** Makes the input as high as the text, up to the limit of the style sheet. */
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
