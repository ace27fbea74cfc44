import type { Violation } from "./violation.ts";

interface Note {
  /**
   * The path from the value at which the fault was found: members begin with a dot, places in lists are in brackets.
   */
  path: string;
  readonly description: string;
  /** Undefined for what was only ignored. */
  readonly reason: string | undefined;
}

const maxIgnored = 100;

/**
 * The faults that are found while a message is read from JSON. A reader notes a
 * fault at the value that it reads; each reader around it then adds its part of
 * the path, so that a body without faults costs nothing.
 */
export class JsonReading {
  /** The number of notes so far. A reader that finds it changed calls `within`. */
  count = 0;
  readonly #notes: Note[] = [];
  readonly #maxFaults: number;
  #faults = 0;
  #ignored = 0;

  constructor(maxFaults = 20) {
    this.#maxFaults = maxFaults;
  }

  /** True when no more faults are noted, so that further reading is useless. */
  get isFull(): boolean {
    return this.#faults >= this.#maxFaults;
  }

  get hasFaults(): boolean {
    return this.#faults > 0;
  }

  /** Notes a fault of the value that is read, or of a member of it. */
  refuse(description: string, path = "", reason = "INVALID_VALUE"): undefined {
    if (this.isFull) return;
    this.#faults++;
    this.count = this.#notes.push({ path, description, reason });
  }

  /** Notes a value that counts as not set. */
  ignore(path: string, description = ""): void {
    if (++this.#ignored <= maxIgnored) {
      this.count = this.#notes.push({ path, description, reason: undefined });
    }
  }

  /** Adds a part to the front of the paths of all notes after the first `from`. */
  within(from: number, part: string): void {
    for (let i = from; i < this.count; i++) this.#notes[i]!.path = part + this.#notes[i]!.path;
  }

  /** Returns the faults. @param at path of the message that was read */
  faults(at = ""): readonly Violation[] {
    return this.#notes.flatMap(({ path, description, reason }) => {
      const field = at === "" ? path.replace(/^\./, "") : at + path;
      return reason === undefined ? [] : [{ field: field || "body", description, reason }];
    });
  }

  /** Returns the paths of what was ignored; if it is too much, the last entry counts the others. */
  ignored(): string[] {
    const paths = this.#notes
      .filter(({ reason }) => reason === undefined)
      .map(({ path, description }) => `${path.replace(/^\./, "")}${description && ` ${description}`}`);
    if (this.#ignored > maxIgnored) paths.push(`${this.#ignored - maxIgnored} more`);
    return paths;
  }
}
