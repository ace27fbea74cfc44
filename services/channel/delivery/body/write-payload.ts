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

import type { Element } from "../../content/element.ts";

/** The first byte of a line that begins a template. */
export const newTemplate = 0x02;
/** The first byte of a line that goes back to a template. */
export const knownTemplate = 0x03;
const newTemplateMark = String.fromCharCode(newTemplate);
const knownTemplateMark = String.fromCharCode(knownTemplate);

/** Writes the payload of one batch. */
export class PayloadWriter {
  readonly #templates = new Map<Element, number>();
  #present: Element | undefined;
  #text = "";

  /** @param receipts the receipts of this element, which are the same in all messages of a batch */
  add(element: Element, pushId: string, texts: readonly string[], receipts: string): void {
    if (element !== this.#present) this.#begin(element, receipts);
    this.#text += `\n${element.values(pushId, texts)}`;
  }

  /** Returns the payload and begins another one. */
  take(): string {
    const text = this.#text.slice(1);
    this.#templates.clear();
    this.#present = undefined;
    this.#text = "";
    return text;
  }

  #begin(element: Element, receipts: string): void {
    const known = this.#templates.get(element);
    const { parts } = element;
    this.#present = element;
    if (known === undefined) {
      this.#templates.set(element, this.#templates.size);
      this.#text += `\n${newTemplateMark}${parts.length}\n${parts.join("\n")}${receipts}}`;
    } else this.#text += `\n${knownTemplateMark}${known}`;
  }
}
