import { type IncomingHttpHeaders, validateHeaderName, validateHeaderValue } from "node:http";

type HeaderRecord = Record<string, string | string[] | number | undefined>;

/**
 * Headers on top of the record that Node has. A real `Headers` for each call
 * takes more than a third of the throughput of the unary lanes; this class takes
 * one small object and copies the record only when it changes.
 */
export class NodeHeaders implements Headers {
  #record: HeaderRecord;
  #shared: boolean;

  /** Reads from `record`, whose names are lower-case; it is never changed. */
  constructor(record?: IncomingHttpHeaders) {
    this.#record = record ?? {};
    this.#shared = record !== undefined;
  }

  get(name: string): string | null {
    return readValue(this.#record, name.toLowerCase());
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  /** @throws TypeError for a header that cannot be sent */
  set(name: string, value: string): void {
    this.#writable()[name.toLowerCase()] = sendable(name, value);
  }

  append(name: string, value: string): void {
    const text = sendable(name, value);
    const before = this.get(name);
    this.#writable()[name.toLowerCase()] = before === null ? text : `${before}, ${text}`;
  }

  delete(name: string): void {
    delete this.#writable()[name.toLowerCase()];
  }

  getSetCookie(): string[] {
    const value = this.#record["set-cookie"];
    return Array.isArray(value) ? value : value === undefined ? [] : [String(value)];
  }

  forEach(callback: (value: string, key: string, parent: Headers) => void, thisArg?: unknown): void {
    for (const [name, value] of this.entries()) callback.call(thisArg, value, name, this);
  }

  *entries(): Generator<[string, string], undefined> {
    for (const name of Object.keys(this.#record).sort()) {
      const value = readValue(this.#record, name);
      if (value !== null) yield [name, value];
    }
  }

  *keys(): Generator<string, undefined> {
    for (const [name] of this.entries()) yield name;
  }

  *values(): Generator<string, undefined> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): Generator<[string, string], undefined> {
    return this.entries();
  }

  /** Adds every header to `target`, in the form that Node writes. */
  assignTo(target: Record<string, unknown>): void {
    for (const name in this.#record) target[name] = this.#record[name];
  }

  #writable(): HeaderRecord {
    if (this.#shared) {
      this.#record = { ...this.#record };
      this.#shared = false;
    }
    return this.#record;
  }
}

function sendable(name: string, value: string): string {
  const text = String(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, "");
  validateHeaderName(name);
  validateHeaderValue(name, text);
  return text;
}

/** HTTP/2 pseudo headers (`:path`) are not headers to a handler. */
function readValue(record: HeaderRecord, name: string): string | null {
  if (name.charCodeAt(0) === 58 /* ":" */ || !Object.hasOwn(record, name)) return null;
  const value = record[name];
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "number" ? String(value) : null;
}
