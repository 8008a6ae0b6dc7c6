/** Finds names by a part of the name. Pure. */

/** Returns how well a name matches a query: lower is better, undefined means no match. */
export function rank(name: string, query: string): number | undefined {
  const [low, letters] = [name.toLowerCase(), query.toLowerCase()];
  if (letters === '') {
    return 0;
  }
  const place = low.indexOf(letters);
  if (place >= 0) {
    return place === 0 ? 0 : /[\w]/.test(low[place - 1] ?? '') ? 2 : 1;
  }
  let at = -1;
  for (const letter of letters) {
    at = low.indexOf(letter, at + 1);
    if (at < 0) {
      return undefined;
    }
  }
  return 3;
}

/** Returns the best matches, in the order of their ranks. */
export function best<T>(items: readonly T[], query: string, nameOf: (item: T) => string, limit: number): T[] {
  return items
    .map((item) => ({ item, rank: rank(nameOf(item), query) }))
    .filter((ranked): ranked is { item: T; rank: number } => ranked.rank !== undefined)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, limit)
    .map((ranked) => ranked.item);
}
