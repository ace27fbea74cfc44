/**
 * A payload is what a batch is stored as: the JSON that its messages share, once, and the values of each message. It
 * takes a tenth of the body, and the same payload always makes the same body, also in a later version of this program,
 * because it contains all the bytes of the body and only they are put together.
 *
 * It consists of lines; JSON contains no line ends, and no control characters at all:
 *
 *     \u0002 n     begins a template: the next n lines are the parts around the values of a message
 *     \u0003 i     goes back to template i, counted from 0 in this payload
 *     value        n - 1 lines for each message, whose values go between the parts of the last template
 */

import { type Element, escapeText } from "../../content/element.ts";

/** The first byte of a line that begins a template. */
export const newTemplate = 0x02;
/** The first byte of a line that goes back to a template. */
export const knownTemplate = 0x03;
const newTemplateMark = String.fromCharCode(newTemplate);
const knownTemplateMark = String.fromCharCode(knownTemplate);

const lineEnd = 0x0a;
const [quote, backslash] = [0x22, 0x5c];
/** Longer texts take less time in native code. */
const shortText = 64;
const firstBytes = 16_384;

/** Writes the payload of one batch, as bytes: to join strings and to encode them takes five times as long. */
export class PayloadWriter {
  readonly #templates = new Map<Element, number>();
  #present: Element | undefined;
  #bytes = Buffer.allocUnsafeSlow(firstBytes);
  #length = 0;

  /**
   * @param texts values of the element's properties, in their order; empty: no value
   * @param receipts the receipts of this element, which are the same in all messages of a batch
   */
  add(element: Element, pushId: string, texts: readonly string[], receipts: string): void {
    if (element !== this.#present) this.#begin(element, receipts);
    this.#writeValue(pushId);
    for (const { property, fallback } of element.slots) {
      const text = texts[property]!;
      if (text === "") this.#writeLine(fallback);
      else this.#writeValue(text);
    }
  }

  /** Returns the payload, which is valid until the next call of `add`, and begins another one. */
  take(): Uint8Array {
    // Each line begins with a line end, also the first.
    const payload = this.#bytes.subarray(1, this.#length);
    this.#templates.clear();
    this.#present = undefined;
    this.#length = 0;
    return payload;
  }

  #begin(element: Element, receipts: string): void {
    const known = this.#templates.get(element);
    const { parts } = element;
    this.#present = element;
    if (known === undefined) {
      this.#templates.set(element, this.#templates.size);
      this.#writeLine(`${newTemplateMark}${parts.length}\n${parts.join("\n")}${receipts}}`);
    } else this.#writeLine(`${knownTemplateMark}${known}`);
  }

  /** Writes a value, escaped as in JSON. */
  #writeValue(text: string): void {
    if (!this.#writePlain(text)) this.#writeLine(escapeText(text));
  }

  /** Writes a short text that needs no escapes; returns false if it does or may do. */
  #writePlain(text: string): boolean {
    const { length } = text;
    if (length > shortText) return false;
    this.#reserve(length + 1);
    const bytes = this.#bytes;
    let at = this.#length;
    bytes[at++] = lineEnd;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code < 0x20 || code > 0x7e || code === quote || code === backslash) return false;
      bytes[at++] = code;
    }
    this.#length = at;
    return true;
  }

  #writeLine(text: string): void {
    this.#reserve(Buffer.byteLength(text) + 1);
    this.#bytes[this.#length++] = lineEnd;
    this.#length += this.#bytes.write(text, this.#length);
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
