/** Returns a part of what is loaded already. */
export function partOf<T>(all: readonly T[], first: number, size: number): readonly T[] {
  const start = startOf(first, size, all.length);
  return all.slice(start, start + size);
}

/** Returns where a part begins: the last part where another result has fewer of them. */
export function startOf(first: number, size: number, count: number): number {
  return first < count ? first : Math.max(0, Math.floor((count - 1) / size) * size);
}
