/** A number of an answer that a double can't hold, as it was written. */
export class HugeNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Without one of these a text has no such number. */
const maybeHuge = /\d{300}|\d[eE]\+?\d{2}/;

/** @throws SyntaxError */
export function parseAnswer(text: string): unknown {
  const plain = JSON.parse(text) as unknown;
  if (!maybeHuge.test(text)) return plain;
  try {
    return JSON.parse(text, keepText as Reviver);
  } catch {
    // Unlike the parser, the walk with a function recurses.
    return plain;
  }
}

type Reviver = (this: unknown, key: string, value: unknown) => unknown;

function keepText(_key: string, value: unknown, { source }: { readonly source?: string }): unknown {
  return typeof value === "number" && !Number.isFinite(value) ? new HugeNumber(source ?? `${value}`) : value;
}
