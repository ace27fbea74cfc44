import { quoteText, shorten } from "../../../../base/text/quote.ts";
import { queryLimits } from "../limits.ts";

export type Operator = "+" | "-" | "*" | "/";

/** Operands are numbered from 0, in the order in which they stand. */
export type Arithmetic =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "operand"; readonly index: number }
  | {
      readonly kind: "binary";
      readonly operator: Operator;
      readonly left: Arithmetic;
      readonly right: Arithmetic;
    };

export interface ParsedArithmetic {
  readonly tree: Arithmetic;
  /** The texts between operators that are not numbers, trimmed. */
  readonly operands: readonly string[];
}

export class ArithmeticError extends Error {
  override readonly name = "ArithmeticError";
}

// A name is all text up to the next operator.
const token =
  /\s*(?:(?<operator>[-+*/()])|(?<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?=\s*(?:[-+*/()]|$))|(?<name>[^-+*/()]+))/y;

interface Token extends Readonly<Record<"operator" | "number" | "name", string | undefined>> {
  /** Number of characters before it. */
  readonly offset: number;
}

/**
 * `expr = term (("+"|"-") term)*`, `term = factor (("*"|"/") factor)*`,
 * factor = number, name or `(expr)`. @throws ArithmeticError
 */
export function parseArithmetic(text: string): ParsedArithmetic {
  const tokens = tokensOf(text);
  const operands: string[] = [];
  let at = 0;
  const take = (...operators: string[]): string | undefined => {
    const operator = tokens[at]?.operator;
    if (operator === undefined || !operators.includes(operator)) return undefined;
    at++;
    return operator;
  };
  const chain = (operators: string[], next: (depth: number) => Arithmetic, depth: number): Arithmetic => {
    let left = next(depth);
    for (let operator = take(...operators); operator !== undefined; operator = take(...operators)) {
      left = { kind: "binary", operator: operator as Operator, left, right: next(depth) };
    }
    return left;
  };
  const expression = (depth: number): Arithmetic => chain(["+", "-"], term, depth);
  const term = (depth: number): Arithmetic => chain(["*", "/"], factor, depth);
  const factor = (depth: number): Arithmetic => {
    if (depth > queryLimits.formulaDepth) {
      throw new ArithmeticError(`nests parentheses more than ${queryLimits.formulaDepth} deep`);
    }
    if (take("(") !== undefined) {
      const inner = expression(depth + 1);
      if (take(")") === undefined) throw new ArithmeticError(`lacks ")"${placeIn(text, tokens[at])}`);
      return inner;
    }
    const { number, name } = tokens[at] ?? {};
    if (number === undefined && name === undefined) {
      throw new ArithmeticError(`lacks a number or an operand${placeIn(text, tokens[at])}`);
    }
    at++;
    if (name !== undefined) return { kind: "operand", index: operands.push(name.trim()) - 1 };
    const value = Number(number);
    if (Number.isFinite(value)) return { kind: "number", value };
    throw new ArithmeticError(`has a number that is too large, ${shorten(number!)}`);
  };
  const tree = expression(1);
  if (at < tokens.length) throw new ArithmeticError(`lacks an operator${placeIn(text, tokens[at])}`);
  return { tree, operands };
}

function tokensOf(text: string): readonly Token[] {
  const lead = text.length - text.trimStart().length;
  return [...text.trim().matchAll(new RegExp(token, "gy"))].map((match) => {
    const spaces = match[0].length - match[0].trimStart().length;
    const groups = match.groups as Omit<Token, "offset">;
    return { ...groups, offset: lead + match.index + spaces };
  });
}

/** Says where something is missing. The number of the character distinguishes equal parts. */
function placeIn(text: string, next: Token | undefined): string {
  const found = next?.operator ?? next?.number ?? next?.name;
  if (next === undefined || found === undefined) return " at its end";
  const number = [...text.slice(0, next.offset)].length + 1;
  return ` before ${quoteText(found.trim())} (character ${number})`;
}
