/** The rows that are on the screen, of however many there are. It follows the end until the user scrolls up. */
import {
  defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type Range,
  Virtualizer,
} from '@tanstack/virtual-core';
import { Component, createRef, type VNode } from 'preact';

interface Props<R extends { key: string }> {
  rows: readonly R[];
  label: string;
  isBusy: boolean;
  estimate: (row: R) => number;
  render: (row: R) => VNode;
}

/** Closer to the end than this, in pixels, counts as at the end. */
const NEAR_PX = 32;
/** So long after the wheel, a key or a finger, scrolling is the user's doing, in milliseconds. */
const HAND_MS = 300;

export class List<R extends { key: string }> extends Component<Props<R>, { isFollowing: boolean }> {
  override state = { isFollowing: true };
  readonly #scroller = createRef<HTMLDivElement>();
  #lastTop = 0;
  #frame = 0;
  /** When the user last put a hand to it. */
  #touched = Number.NEGATIVE_INFINITY;
  #virtualizer: Virtualizer<HTMLDivElement, HTMLElement> | undefined;
  #unmount = () => {};

  override componentDidMount(): void {
    this.#virtualizer = new Virtualizer(this.#options());
    this.#unmount = this.#virtualizer._didMount();
    this.#virtualizer._willUpdate();
    this.forceUpdate();
  }

  override componentDidUpdate(): void {
    this.#virtualizer?._willUpdate();
    this.#follow();
  }

  override componentWillUnmount(): void {
    cancelAnimationFrame(this.#frame);
    this.#unmount();
  }

  toEnd = (): void => {
    this.setState({ isFollowing: true });
  };

  render() {
    const { rows, label, isBusy, render } = this.props;
    this.#virtualizer?.setOptions(this.#options());
    const items = this.#virtualizer?.getVirtualItems() ?? [];
    const height = `${this.#virtualizer?.getTotalSize() ?? 0}px`;
    const top = `translateY(${items[0]?.start ?? 0}px)`;
    return (
      <div class="list">
        <div
          ref={this.#scroller}
          class="scroller"
          role="feed"
          aria-label={label}
          aria-busy={isBusy}
          tabIndex={0}
          onScroll={this.#scrolled}
          onWheel={this.#touch}
          onPointerDown={this.#touch}
          onTouchMove={this.#touch}
          onKeyDown={this.#pressed}
        >
          <div class="rows" style={{ height }}>
            <div class="window" style={{ transform: top }}>
              {items.map((item) => {
                const row = rows[item.index];
                return (
                  row && (
                    <div
                      key={row.key}
                      class="row"
                      role="article"
                      data-index={item.index}
                      aria-posinset={item.index + 1}
                      aria-setsize={rows.length}
                      ref={this.#measure}
                    >
                      {render(row)}
                    </div>
                  )
                );
              })}
            </div>
          </div>
        </div>
        {!this.state.isFollowing && (
          <button type="button" class="to-end" onClick={this.toEnd}>
            To the end
          </button>
        )}
      </div>
    );
  }

  #options(): ConstructorParameters<typeof Virtualizer<HTMLDivElement, HTMLElement>>[0] {
    const { rows, estimate } = this.props;
    return {
      count: rows.length,
      getScrollElement: () => this.#scroller.current,
      estimateSize: (index) => {
        const row = rows[index];
        return row ? estimate(row) : 0;
      },
      getItemKey: (index) => rows[index]?.key ?? index,
      rangeExtractor: (range) => this.#withFocused(range),
      overscan: 6,
      scrollToFn: elementScroll,
      observeElementRect,
      observeElementOffset,
      onChange: this.#redraw,
    };
  }

  /** In the next frame: what one drawing measures asks for another, and each shall be a task of its own. */
  #redraw = (): void => {
    if (this.#frame === 0) {
      this.#frame = requestAnimationFrame(() => {
        this.#frame = 0;
        this.forceUpdate();
      });
    }
  };

  #measure = (element: HTMLDivElement | null): void => {
    if (element) {
      this.#virtualizer?.measureElement(element);
    }
  };

  /** What has the focus stays, wherever the user scrolls. */
  #withFocused(range: Range): number[] {
    const indexes = defaultRangeExtractor(range);
    const focused = this.#scroller.current?.querySelector<HTMLElement>('.row:focus-within');
    const index = focused ? Number(focused.dataset.index) : -1;
    const [first, last] = [indexes[0] ?? 0, indexes.at(-1) ?? 0];
    // Rows lie in the flow behind the first, so all in between stay as well, unless they are many.
    if (index >= 0 && index < range.count && index < first && first - index < 100) {
      return [...Array(first - index).keys()].map((step) => index + step).concat(indexes);
    }
    if (index > last && index < range.count && index - last < 100) {
      return indexes.concat([...Array(index - last).keys()].map((step) => last + 1 + step));
    }
    return indexes;
  }

  #scrolled = (): void => {
    const scroller = this.#scroller.current;
    if (!scroller) {
      return;
    }
    const isNear = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_PX;
    const isUsers = performance.now() - this.#touched < HAND_MS;
    const isUpwards = scroller.scrollTop < this.#lastTop - 1;
    this.#lastTop = scroller.scrollTop;
    if (isUsers) {
      this.#touched = performance.now(); // A scroll bar that is dragged tells of nothing but scrolling.
    }
    if (isNear !== this.state.isFollowing && (isNear || (isUsers && isUpwards))) {
      this.setState({ isFollowing: isNear });
    } else if (this.state.isFollowing && !isNear) {
      this.#redraw(); // Rows were not as high as they were thought to be.
    }
  };

  #touch = (): void => {
    this.#touched = performance.now();
  };

  #pressed = (event: KeyboardEvent): void => {
    this.#touch();
    if (event.key === 'End' && event.target === this.#scroller.current) {
      event.preventDefault();
      this.toEnd();
    }
  };

  #follow(): void {
    const scroller = this.#scroller.current;
    if (scroller && this.state.isFollowing) {
      scroller.scrollTop = scroller.scrollHeight;
      this.#lastTop = scroller.scrollTop;
    }
  }
}
