/** Values by key up to a number of bytes; those not asked for longest go first. */
export interface ResultCache<T> {
  get(key: string): T | undefined;
  /** A value larger than all that may be kept is not. */
  set(key: string, value: T, bytes: number): void;
  readonly bytes: number;
}

/** What an entry costs besides its value. */
const entryBytes = 256;

export function createResultCache<T>(maxBytes: number): ResultCache<T> {
  const entries = new Map<string, { readonly value: T; readonly bytes: number }>();
  let total = 0;
  const remove = (key: string): void => {
    total -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      // A map keeps the order in which keys came: asked for is youngest.
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, valueBytes) {
      const bytes = valueBytes + entryBytes;
      remove(key);
      if (bytes > maxBytes) return;
      entries.set(key, { value, bytes });
      total += bytes;
      for (const oldest of entries.keys()) {
        if (total <= maxBytes) return;
        remove(oldest);
      }
    },
    get bytes() {
      return total;
    },
  };
}
