/** Block of an answer: Markdown, a code block, or a piece of an endless line. */
import * as l10n from '@vscode/l10n';
import { Component, createRef } from 'preact';
import type { Block } from '../state/blocks';
import { post } from '../state/host';
import { highlighted } from './highlight';
import { render } from './markdown';

/** Languages of code that a terminal runs. */
const SHELLS = new Set(['bash', 'sh', 'shell', 'zsh', 'fish', 'console', 'powershell', 'pwsh', 'cmd', 'bat']);

export class BlockView extends Component<{ block: Block }, { isCopied: boolean }> {
  override state = { isCopied: false };
  readonly #content = createRef<HTMLElement>();

  override shouldComponentUpdate(next: { block: Block }, state: { isCopied: boolean }): boolean {
    return next.block !== this.props.block || state.isCopied !== this.state.isCopied;
  }

  override componentDidMount(): void {
    this.#fill(undefined);
  }

  override componentDidUpdate(before: { block: Block }): void {
    if (before.block !== this.props.block) {
      this.#fill(before.block);
    }
  }

  render() {
    const { block } = this.props;
    if (block.kind !== 'code') {
      return <div class={block.kind} ref={this.#content as never} onClick={followLink} onKeyDown={undefined} />;
    }
    return (
      <div class={block.goesOn ? 'code goes-on' : 'code'}>
        {!block.goesOn && (
          <div class="code-head">
            <span>{block.language || l10n.t('text')}</span>
            <button type="button" class="quiet" onClick={this.#copy}>
              {this.state.isCopied ? l10n.t('Copied') : l10n.t('Copy')}
            </button>
            {SHELLS.has(block.language.toLowerCase()) && (
              <button type="button" class="quiet" onClick={() => post({ type: 'runInTerminal', text: block.text })}>
                {l10n.t('Run in Terminal')}
              </button>
            )}
            <button
              type="button"
              class="quiet"
              onClick={() => post({ type: 'openText', language: block.language, text: block.text })}
            >
              {l10n.t('Open')}
            </button>
          </div>
        )}
        <pre tabIndex={0} aria-label={l10n.t('Code: {0}', block.language || l10n.t('text'))} role="group">
          <code ref={this.#content as never} />
        </pre>
      </div>
    );
  }

  /** Fills the nodes without the framework, so that growing text is only appended. */
  #fill(before: Block | undefined): void {
    const { block } = this.props;
    const content = this.#content.current;
    if (!content) {
      return;
    }
    if (block.kind === 'markdown') {
      content.replaceChildren(render(block.text));
    } else if (block.kind === 'code' && !block.isOpen) {
      content.replaceChildren(highlighted(block.text, block.language));
    } else {
      const shown = content.firstChild;
      if (
        before &&
        shown instanceof Text &&
        block.text.startsWith(before.text) &&
        shown.length === before.text.length
      ) {
        shown.appendData(block.text.slice(before.text.length));
      } else {
        content.replaceChildren(block.text);
      }
    }
  }

  #copy = (): void => {
    void navigator.clipboard.writeText(this.props.block.text);
    this.setState({ isCopied: true });
    setTimeout(() => this.setState({ isCopied: false }), 1500);
  };
}

/** Opens a link outside, through the host; a link to a file opens in the editor. */
export function followLink(event: Event): void {
  const link = event.target instanceof Element ? event.target.closest('a') : undefined;
  if (!link) {
    return;
  }
  event.preventDefault();
  const path = link.getAttribute('data-path');
  if (path !== null) {
    const [file = '', line] = path.split(/#L?|:(?=\d+(?::\d+)?$)/);
    post({
      type: 'openFile',
      path: file,
      line: line === undefined ? undefined : Number.parseInt(line, 10) || undefined,
    });
  } else if (/^https?:/i.test(link.href)) {
    post({ type: 'openLink', url: link.href });
  }
}
