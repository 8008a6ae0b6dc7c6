/**
 * List that renders only the rows on the screen, of any number of rows. The list follows the end until the user scrolls
 * up.
 */

import {
  defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type Range,
  Virtualizer,
} from '@tanstack/virtual-core';
import * as l10n from '@vscode/l10n';
import { Component, createRef, type RefObject, type VNode } from 'preact';

interface Props<R extends { key: string }> {
  rows: readonly R[];
  /** Reference through which the page finds the list: Preact gives no references to components. */
  handle: RefObject<List<R> | null>;
  label: string;
  isBusy: boolean;
  estimate: (row: R) => number;
  /** Key of the row to begin with; the list begins at the end without a key. */
  place?: string | undefined;
  /** Reports the key of the first row on the screen when scrolling has come to rest; undefined at the end. */
  onPlace: (place: string | undefined) => void;
  render: (row: R) => VNode;
}

/** Distance in pixels from the end that counts as at the end. */
const NEAR_PX = 32;
/** Time in milliseconds after the wheel, a key or a finger during which scrolling counts as the user's. */
const HAND_MS = 300;
/** Time in milliseconds after the last scrolling until scrolling counts as finished. */
const REST_MS = 150;
/** Padding above the first row and below the last row. */
const TOP_PX = 6;
const BOTTOM_PX = 10;

export class List<R extends { key: string }> extends Component<Props<R>, { isFollowing: boolean }> {
  override state = { isFollowing: true };
  readonly #scroller = createRef<HTMLDivElement>();
  #lastTop = 0;
  #frame = 0;
  /** Time of the user's last input on the list. */
  #touched = Number.NEGATIVE_INFINITY;
  readonly #virtualizer: Virtualizer<HTMLDivElement, HTMLElement>;
  #isMounted = false;
  #unmount = () => {};
  #rest: ReturnType<typeof setTimeout> | undefined;
  /**
   * Key function that stays the same from frame to frame as long as no row moves: a new function causes a full layout.
   */
  #keyOf = (index: number): string | number => this.#keys[index] ?? index;
  /**
   * Target of the last `toNext` until the user scrolls by hand: near the end, the target cannot be the first row on the
   * screen.
   */
  #aim: number | undefined;
  #drawn: readonly R[] = [];
  /** Keys and estimated heights of the drawn rows, by index: one measured row asks for those of all rows behind. */
  readonly #keys: string[] = [];
  readonly #estimates: number[] = [];

  constructor(props: Props<R>) {
    super(props);
    this.#noteRows(props.rows);
    this.#virtualizer = new Virtualizer(this.#options());
  }

  /** Draws the rows in the next frame, at the place where the list begins: of a long list, each is a task of its own. */
  override componentDidMount(): void {
    this.#isMounted = true;
    this.props.handle.current = this;
    const { rows, place } = this.props;
    const index = place === undefined ? -1 : rows.findIndex((row) => row.key === place);
    if (index < 0) {
      this.#follow();
    }
    this.#unmount = this.#virtualizer._didMount();
    this.#virtualizer._willUpdate();
    if (index < 0) {
      this.#redraw();
    } else {
      this.#goTo(index);
    }
  }

  override componentDidUpdate(): void {
    this.#virtualizer._willUpdate();
    this.#follow();
  }

  override componentWillUnmount(): void {
    this.props.handle.current = null;
    clearTimeout(this.#rest);
    cancelAnimationFrame(this.#frame);
    this.#unmount();
  }

  toEnd = (): void => {
    this.setState({ isFollowing: true });
  };

  /** Goes to the nearest matching row above or below the first row on the screen; below the last match, to the end. */
  toNext(isWanted: (row: R) => boolean, step: -1 | 1): void {
    const { rows } = this.props;
    const from = this.#aim ?? (this.state.isFollowing ? rows.length : this.#firstOnScreen());
    const index =
      step < 0 ? rows.slice(0, from).findLastIndex(isWanted) : rows.findIndex((row, at) => at > from && isWanted(row));
    this.#aim = index < 0 ? undefined : index;
    if (index >= 0) {
      this.#goTo(index);
    } else if (step > 0) {
      this.toEnd();
    }
  }

  #goTo(index: number): void {
    this.setState({ isFollowing: false }, () => this.#virtualizer.scrollToIndex(index, { align: 'start' }));
  }

  #firstOnScreen(): number {
    const top = this.#scroller.current?.scrollTop ?? 0;
    const item = this.#virtualizer.getVirtualItems().find((virtualItem) => virtualItem.end > top + TOP_PX);
    return item?.index ?? 0;
  }

  render() {
    const { rows, label, isBusy, render } = this.props;
    this.#noteRows(rows);
    this.#virtualizer.setOptions(this.#options());
    const items = this.#isMounted ? this.#virtualizer.getVirtualItems() : [];
    const height = `${this.#virtualizer.getTotalSize()}px`;
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
            {l10n.t('Scroll to End')}
          </button>
        )}
      </div>
    );
  }

  #options(): ConstructorParameters<typeof Virtualizer<HTMLDivElement, HTMLElement>>[0] {
    return {
      count: this.props.rows.length,
      getScrollElement: () => this.#scroller.current,
      paddingStart: TOP_PX,
      paddingEnd: BOTTOM_PX,
      estimateSize: this.#estimate,
      getItemKey: this.#keyOf,
      rangeExtractor: (range) => this.#withFocused(range),
      overscan: 4,
      initialOffset: () => this.#scroller.current?.scrollTop ?? 0,
      scrollToFn: elementScroll,
      observeElementRect,
      observeElementOffset,
      onChange: this.#redraw,
    };
  }

  /** Notes key and estimated height of each new row. */
  #noteRows(rows: readonly R[]): void {
    const before = this.#drawn;
    if (before === rows) {
      return;
    }
    let hasMoved = rows.length < before.length;
    for (const [index, row] of rows.entries()) {
      if (row !== before[index]) {
        hasMoved ||= index < before.length && row.key !== this.#keys[index];
        this.#keys[index] = row.key;
        this.#estimates[index] = this.props.estimate(row);
      }
    }
    if (hasMoved) {
      this.#keyOf = (index) => this.#keys[index] ?? index;
    }
    this.#drawn = rows;
  }

  #estimate = (index: number): number => this.#estimates[index] ?? 0;

  /**
   * Redraws in the next frame: the measurements of a drawing cause another drawing, and each drawing shall be a task of
   * its own.
   */
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
      this.#virtualizer.measureElement(element);
    }
  };

  /** Returns the range with the focused row, which stays rendered wherever the user scrolls. */
  #withFocused(range: Range): number[] {
    const indexes = defaultRangeExtractor(range);
    const focused = this.#scroller.current?.querySelector<HTMLElement>('.row:focus-within');
    const index = focused ? Number(focused.dataset.index) : -1;
    const [first, last] = [indexes[0] ?? 0, indexes.at(-1) ?? 0];
    // Rows lie in the flow behind the first row, so all rows between stay as well, unless the number is large.
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
    clearTimeout(this.#rest);
    this.#rest = setTimeout(this.#rested, REST_MS);
    if (isUsers) {
      this.#touched = performance.now(); // A dragged scroll bar sends only scroll events.
    }
    if (isNear !== this.state.isFollowing && (isNear || (isUsers && isUpwards))) {
      this.setState({ isFollowing: isNear });
    } else if (this.state.isFollowing && !isNear) {
      this.#redraw(); // The estimated row heights were too small.
    }
  };

  #rested = (): void => {
    this.props.onPlace(this.state.isFollowing ? undefined : this.props.rows[this.#firstOnScreen()]?.key);
  };

  #touch = (): void => {
    this.#touched = performance.now();
    this.#aim = undefined;
  };

  #pressed = (event: KeyboardEvent): void => {
    if (event.altKey) {
      return;
    }
    this.#touch();
    if (event.target !== this.#scroller.current) {
      return;
    }
    if (event.key === 'End') {
      event.preventDefault();
      this.toEnd();
    } else if (event.key === 'Home' && (this.#scroller.current?.scrollTop ?? 0) > 0) {
      // The browser's own way to the top ends where rows above are measured meanwhile.
      event.preventDefault();
      this.setState({ isFollowing: false }, () => this.#virtualizer.scrollToOffset(0));
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
