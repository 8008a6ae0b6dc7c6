/** How long ago something was, in the user's language. */

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['week', 604_800_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** `then` and `now` in milliseconds since the epoch. */
export function ago(then: number, now: number, language?: string): string {
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });
  const [unit, length] = UNITS.find(([, milliseconds]) => now - then >= milliseconds) ?? (['second', 1000] as const);
  return format.format(unit === 'second' ? 0 : -Math.floor((now - then) / length), unit);
}
