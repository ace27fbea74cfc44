/** A page of a list in memory, and the cursor of the next page; null when this one is the last. */
export interface TakenPage<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

export interface PageWanted<T> {
  readonly limit: number;
  /** The cursor of the page before. */
  readonly after: string | undefined;
  readonly matches: (item: T) => boolean;
  readonly cursorOf: (item: T) => string;
  /** Whether an item comes after a cursor in the order of the list. */
  readonly isAfter: (item: T, cursor: string) => boolean;
}

/** Takes the items after a cursor, which need not be in the list any more. */
export function takePage<T>(sorted: readonly T[], wanted: PageWanted<T>): TakenPage<T> {
  const { limit, after, matches, cursorOf, isAfter } = wanted;
  const items: T[] = [];
  for (const item of sorted) {
    if ((after !== undefined && !isAfter(item, after)) || !matches(item)) continue;
    if (items.length === limit) return { items, next: cursorOf(items.at(-1)!) };
    items.push(item);
  }
  return { items, next: null };
}
