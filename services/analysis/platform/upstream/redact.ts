import { compileFormsMask, formsOfSecret, masked } from "../../../../base/text/mask-secrets.ts";

/** Removes a token from everything that leaves this service. */
export interface Redactor {
  text(text: string): string;
  /** Returns the bytes without the token; the same object if they do not contain it. */
  bytes(bytes: Uint8Array): Uint8Array;
  /**
   * Returns the pieces without the token. An end of a piece that may be the beginning of the token comes with the next
   * one.
   */
  stream(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>;
  /** Returns a copy that can be logged: the message and code of the error and of its causes. */
  error(error: unknown): Error;
}

/** Creates a redactor that finds the token unencoded and as URLs, forms and JSON encode it. */
export function createRedactor(token: string): Redactor {
  const forms = formsOfSecret(token);
  const text = compileFormsMask(forms);
  const needles = forms.map((form) => Buffer.from(form));
  const longest = Math.max(...needles.map(({ length }) => length));
  const bytes = (value: Uint8Array): Uint8Array => {
    const buffer = viewOf(value);
    if (!needles.some((needle) => buffer.includes(needle))) return value;
    // Latin-1 converts every byte to one character and back.
    const latin = needles.map((needle) => needle.toString("latin1"));
    const clean = latin.reduce((done, form) => done.replaceAll(form, masked), buffer.toString("latin1"));
    return Buffer.from(clean, "latin1");
  };
  /** Returns the length of the longest suffix that may be the beginning of the token. */
  const openEnd = (value: Buffer): number => {
    for (let length = Math.min(longest - 1, value.length); length > 0; length--) {
      const end = value.subarray(value.length - length);
      if (needles.some((needle) => length < needle.length && end.equals(needle.subarray(0, length))))
        return length;
    }
    return 0;
  };
  return {
    text,
    bytes,
    async *stream(pieces) {
      let held: Buffer = Buffer.alloc(0);
      for await (const piece of pieces) {
        const clean = viewOf(bytes(held.length === 0 ? piece : Buffer.concat([held, piece])));
        const open = openEnd(clean);
        held = Buffer.from(clean.subarray(clean.length - open));
        if (clean.length > open) yield clean.subarray(0, clean.length - open);
      }
      if (held.length > 0) yield held;
    },
    error(error) {
      return copyError(error, text, 0);
    },
  };
}

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const maxCauses = 5;

function copyError(error: unknown, redact: (text: string) => string, depth: number): Error {
  if (!(error instanceof Error)) return new Error(redact(String(error)));
  const { code } = error as NodeJS.ErrnoException;
  const cause = error.cause === undefined || depth === maxCauses ? undefined : error.cause;
  const copy = new Error(
    redact(error.message),
    cause === undefined ? undefined : { cause: copyError(cause, redact, depth + 1) },
  );
  copy.name = error.name;
  copy.stack = redact(error.stack ?? "");
  return code === undefined ? copy : Object.assign(copy, { code });
}
