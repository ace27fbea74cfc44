/** A map that keeps the latest entries. */
export interface Recent<T> {
  get(key: string): T | undefined;
  /** Removes the oldest entry when there are too many. */
  set(key: string, value: T): void;
}

export function createRecent<T>(maxEntries: number): Recent<T> {
  const entries = new Map<string, T>();
  return {
    get: (key) => entries.get(key),
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= maxEntries) return;
      const [[first] = [key]] = entries;
      entries.delete(first);
    },
  };
}
