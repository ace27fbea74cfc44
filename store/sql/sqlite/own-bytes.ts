/** Arguments whose bytes are theirs alone, and may be given away. */
export interface OwnedArguments {
  readonly args: readonly unknown[];
  readonly buffers: readonly ArrayBuffer[];
  readonly bytes: number;
}

/**
 * Copies each array of bytes in arguments. A small one is a view into a pool, and
 * all of the pool would be cloned; and the caller keeps what it has given.
 */
export function ownBytes(args: readonly unknown[]): OwnedArguments {
  const buffers: ArrayBuffer[] = [];
  let bytes = 0;
  const own = (value: unknown): unknown => {
    if (value instanceof Uint8Array) {
      const copy = new Uint8Array(value);
      buffers.push(copy.buffer);
      bytes += copy.length;
      return copy;
    }
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return typeof value[0] === "object" ? value.map(own) : value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, own(member)]));
  };
  return { args: args.map(own), buffers, bytes };
}
