import type { Reply } from "./messages.ts";

/**
 * Returns the buffers of the bytes in replies, which can be moved to the other thread instead of copied, since
 * operations keep no bytes that they return. Bytes that are a part of a buffer are copied: others may share it.
 */
export function ownBuffersOf(replies: readonly Reply[]): readonly ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  const collect = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if (value instanceof Uint8Array) {
      if (value.length === value.buffer.byteLength) found.add(value.buffer as ArrayBuffer);
      return;
    }
    if (Array.isArray(value) && typeof value[0] !== "object") return;
    for (const field of Object.values(value)) if (typeof field === "object") collect(field);
  };
  for (const reply of replies) if ("value" in reply) collect(reply.value);
  return [...found];
}
