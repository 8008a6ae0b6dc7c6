/** Small pictures in the colour of the surrounding text. A text beside the picture always says the same. */
const PATHS = {
  add: 'M8 3v10M3 8h10',
  check: 'M3 8.5l3.2 3L13 4.5',
  chevron: 'M6 4l4 4-4 4',
  close: 'M4 4l8 8M12 4l-8 8',
  down: 'M8 3v10M4 9l4 4 4-4',
  edit: 'M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3 3 13z',
  file: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3',
  globe: 'M8 2.5a5.5 5.5 0 100 11 5.5 5.5 0 000-11zM2.5 8h11M8 2.5c-4 3.5-4 7.5 0 11M8 2.5c4 3.5 4 7.5 0 11',
  list: 'M6 4h7M6 8h7M6 12h7M3 4h.01M3 8h.01M3 12h.01',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  people:
    'M6 7.5a2 2 0 100-4 2 2 0 000 4zM2.5 13c0-2.5 1.500-3.500 3.500-3.500S9.500 10.500 9.500 13M10.500 7.500a1.600 1.600 0 100-3.200M11.500 9.700c1.300.3 2 1.400 2 3.300',
  search: 'M7 11.500a4.500 4.500 0 100-9 4.500 4.500 0 000 9zM10.300 10.300l3.200 3.200',
  send: 'M8 13V3.500M4 7.500l4-4 4 4',
  shield: 'M8 2.500l5 2v3.500c0 3-2.200 4.700-5 5.500-2.800-.800-5-2.500-5-5.500V4.500z',
  stop: 'M4.500 4.500h7v7h-7z',
  terminal: 'M3 4.500l3.500 3.500L3 11.500M8 12h5',
  thought: 'M8 2.500a4 4 0 00-2.200 7.300V11.500h4.400V9.800A4 4 0 008 2.500zM6.500 13.500h3',
  tool: 'M10 2.800a3 3 0 00-3.700 3.800L2.800 10.200l3 3 3.600-3.500A3 3 0 0013.200 6L11 8 8 5z',
  undo: 'M5 3L2.500 5.500 5 8M2.500 5.500h6.500a4 4 0 010 8H6',
  waiting: 'M8 2.5a5.5 5.5 0 100 11 5.5 5.5 0 000-11zM8 5v3l2 1.500',
  warning: 'M8 2.500l6 11H2zM8 6.500v3.500M8 12h.01',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
