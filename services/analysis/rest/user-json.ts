import type { JsonValue } from "@bufbuild/protobuf";
import { ByteSink } from "../../../base/bytes/byte-sink.ts";
import { type Literal, literalOf } from "../../../base/bytes/literal.ts";
import { Utf8Text } from "../../../base/bytes/utf8-text.ts";
import { backslash, quote, space } from "../../../base/json/bytes.ts";
import { toExactJson } from "../../../base/json/exact-numbers.ts";
import { isUserIdName } from "../../../base/record/user-ids.ts";
import type { UserVisitor, VisitedText } from "../../../store/events/events.ts";

const firstBytes = 65_536;
const firstUser = literalOf('{"#user_id":');
const nextUser = literalOf('},{"#user_id":');
const account = literalOf(',"#account_id":"');
const distinct = literalOf('","#distinct_id":"');

/** Writes visited users as JSON: texts that are UTF-8 already are copied. */
export class UserJson implements UserVisitor {
  readonly #sink = new ByteSink(firstBytes);
  /** What comes before the value of a property. */
  readonly #heads = new Map<string, Literal>();
  #isEmpty = true;

  /** @param head the text before the users */
  constructor(head: string) {
    this.#sink.text(head);
  }

  user(userId: bigint, accountId: VisitedText | null, distinctId: VisitedText | null): void {
    const sink = this.#sink;
    sink.literal(this.#isEmpty ? firstUser : nextUser);
    this.#isEmpty = false;
    const number = Number(userId);
    sink.text(Number.isSafeInteger(number) ? String(number) : `"${userId}"`);
    sink.literal(account);
    this.#characters(accountId ?? "");
    sink.literal(distinct);
    this.#characters(distinctId ?? "");
    sink.byte(quote);
  }

  property(name: string, value: unknown): void {
    const head = this.#headOf(name);
    if (head === undefined) return;
    const sink = this.#sink;
    if (value instanceof Utf8Text) {
      sink.literal(head);
      sink.byte(quote);
      this.#characters(value);
      sink.byte(quote);
      return;
    }
    const json = toExactJson(value);
    if (json === null) return;
    sink.literal(head);
    sink.text(writeProperty(json));
  }

  /** Returns all bytes and ends the use of this object. @param tail the text after the users */
  finish(tail: string): Uint8Array {
    this.#sink.text(this.#isEmpty ? tail : `}${tail}`);
    return this.#sink.finish();
  }

  /** Returns undefined for the names of ids. */
  #headOf(name: string): Literal | undefined {
    const known = this.#heads.get(name);
    if (known !== undefined || isUserIdName(name)) return known;
    const head = literalOf(`,${JSON.stringify(name)}:`);
    this.#heads.set(name, head);
    return head;
  }

  /** Writes a text without its quotes. */
  #characters(text: VisitedText): void {
    if (typeof text === "string") this.#sink.text(writeText(text).slice(1, -1));
    else if (isPlain(text)) this.#sink.copy(text.bytes, text.start, text.end);
    else this.#sink.text(JSON.stringify(text.toString()).slice(1, -1));
  }
}

/** Reports whether JSON escapes no character of a text. */
function isPlain({ bytes: { buffer }, start, end }: Utf8Text): boolean {
  for (let at = start; at < end; at++) {
    const byte = buffer[at]!;
    if (byte < space || byte === quote || byte === backslash) return false;
  }
  return true;
}

/** Texts without characters that JSON escapes and without surrogates. */
const plain = /^[ !#-[\]-~]*$/;

/** Writes a text as `JSON.stringify` does, for most texts in half the time. */
export function writeText(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** Writes texts and numbers unchanged, other values as a text with their JSON. */
export function writeProperty(value: JsonValue): string {
  if (typeof value === "string") return writeText(value);
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  const json = JSON.stringify(value);
  return typeof value === "number" ? json : JSON.stringify(json);
}
