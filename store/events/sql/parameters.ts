import { PlanTooLargeError } from "../events.ts";
import { type Dialect, listOf, type ScalarType, scalar, type ValueType } from "./dialect.ts";

export type ScalarValue = string | number | boolean;

/** A value which is bound to a query, never part of its text. */
export interface Parameter {
  readonly type: ValueType;
  readonly value: ScalarValue | readonly ScalarValue[];
}

/** A query's text and the values of its placeholders, which are numbered from 1. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
}

/** The engine parses a statement of this length in about a second. */
const maxCharacters = 4_194_304;

/**
 * Collects the values of a query while it is compiled. Equal values share a placeholder, so that equal
 * conditions have equal texts.
 */
export class Parameters {
  readonly #dialect: Dialect;
  readonly #numbers = new Map<string, number>();
  readonly #parameters: Parameter[] = [];
  #characters = 0;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  bind(of: ScalarType, value: ScalarValue): string {
    return this.#add({ type: scalar(of), value });
  }

  bindList(of: ScalarType, value: readonly ScalarValue[]): string {
    return this.#add({ type: listOf(of), value });
  }

  /**
   * Counts the characters of a part as soon as it is compiled: conditions shared by many measures
   * appear many times.
   * @throws PlanTooLargeError
   */
  count(part: string): void {
    this.#characters += part.length;
    if (this.#characters <= maxCharacters) return;
    throw new PlanTooLargeError(`the statement has more than ${maxCharacters} characters`);
  }

  /** Returns the statement, with the parameters that its text uses. */
  finish(text: string): Statement {
    const parameters: Parameter[] = [];
    const renumbered = new Map<number, string>();
    const sql = text.replace(this.#dialect.placeholders, (_, digits: string) => {
      const number = Number(digits);
      const known = renumbered.get(number);
      if (known !== undefined) return known;
      parameters.push(this.#parameters[number - 1]!);
      const { type } = parameters.at(-1)!;
      const placeholder = this.#dialect.placeholder(parameters.length, type);
      renumbered.set(number, placeholder);
      return placeholder;
    });
    return { sql, parameters };
  }

  #add(parameter: Parameter): string {
    // JSON writes -0 as 0, which equals it, and only numbers can be infinite or NaN here.
    const key = JSON.stringify([parameter.type.of, parameter.type.isList, printable(parameter.value)]);
    const number = this.#numbers.get(key) ?? this.#parameters.push(parameter);
    this.#numbers.set(key, number);
    return this.#dialect.placeholder(number, parameter.type);
  }
}

const printable = (value: Parameter["value"]): unknown => (typeof value === "number" ? String(value) : value);
