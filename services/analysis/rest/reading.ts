import { BigNumber } from "../../../base/json/exact-numbers.ts";
import { quoteText, shorten } from "../../../base/text/quote.ts";
import type { QueryViolation } from "../refusal/refusal.ts";

const maxViolations = 20;
const maxIgnored = 100;

/** What is found out while a body is read. */
export class Reading {
  readonly violations: QueryViolation[] = [];
  readonly #ignored: string[] = [];
  #moreIgnored = 0;

  /** Whether there is no room for more violations, so that reading on is no use. */
  get isFull(): boolean {
    return this.violations.length >= maxViolations;
  }

  refuse(field: string, description: string): undefined {
    if (!this.isFull) this.violations.push({ field, description });
  }

  /** An unknown member of the object at this path. */
  ignore(at: string, key: string): void {
    if (this.#ignored.length < maxIgnored) this.#ignored.push(pathOf(at, key));
    else this.#moreIgnored++;
  }

  /** A value that is none of the words its member takes, and counts as left out. */
  ignoreWord(at: string, value: unknown, valid: string): void {
    if (this.#ignored.length < maxIgnored) this.#ignored.push(`${at} ${quote(value)} (${valid})`);
    else this.#moreIgnored++;
  }

  /** Paths of unknown members; when there are too many, the last entry counts the others. */
  ignored(): string[] {
    return this.#moreIgnored === 0 ? this.#ignored : [...this.#ignored, `${this.#moreIgnored} more`];
  }
}

const plainName = /^[A-Za-z_#][\w#]{0,99}$/;

/** The path of a member; names that are no plain words are quoted. */
export function pathOf(at: string, key: string): string {
  if (!plainName.test(key)) return `${at}[${quoteText(key)}]`;
  return at === "" ? key : `${at}.${key}`;
}

/** A value as a message quotes it: lists and objects only by their kind. */
export function quote(value: unknown): string {
  if (value instanceof BigNumber) return shorten(value.digits);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "string" ? quoteText(value) : value === undefined ? "nothing" : String(value);
}
