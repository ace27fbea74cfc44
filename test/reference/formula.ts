import { toNumber } from "./form.ts";
import { Refused } from "./refused.ts";

/** Operands are numbered from 0, in the order in which they stand. */
export type Formula =
  | { readonly number: number }
  | { readonly operand: number }
  | { readonly operator: "+" | "-" | "*" | "/"; readonly left: Formula; readonly right: Formula };

export interface ParsedFormula {
  readonly formula: Formula;
  /** Their texts. */
  readonly operands: readonly string[];
}

export function parseFormula(text: string, field: string): ParsedFormula {
  const tokens = text.split(/([-+*/()])/).flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));
  const operands: string[] = [];
  let at = 0;
  const expression = (): Formula => {
    let left = term();
    while (tokens[at] === "+" || tokens[at] === "-") {
      const operator = tokens[at++] as "+" | "-";
      left = { operator, left, right: term() };
    }
    return left;
  };
  const term = (): Formula => {
    let left = factor();
    while (tokens[at] === "*" || tokens[at] === "/") {
      const operator = tokens[at++] as "*" | "/";
      left = { operator, left, right: factor() };
    }
    return left;
  };
  const factor = (): Formula => {
    const token = tokens[at++];
    if (token === "(") {
      const inner = expression();
      if (tokens[at++] !== ")") throw new Refused(field, "a bracket is not closed");
      return inner;
    }
    if (token === undefined || /^[-+*/)]$/.test(token)) throw new Refused(field, "an operand is missing");
    const number = toNumber(token);
    if (number !== undefined) return { number };
    operands.push(token);
    return { operand: operands.length - 1 };
  };
  const formula = expression();
  if (at < tokens.length) throw new Refused(field, `not understood: ${tokens[at]}`);
  return { formula, operands };
}

/** @param values of the operands */
export function evaluateFormula(formula: Formula, values: readonly (number | null)[]): number | null {
  if ("number" in formula) return formula.number;
  if ("operand" in formula) return values[formula.operand]!;
  return calculate(
    formula.operator,
    evaluateFormula(formula.left, values),
    evaluateFormula(formula.right, values),
  );
}

/** No value in, or a division by zero: no value out. */
export function calculate(
  operator: "+" | "-" | "*" | "/",
  left: number | null,
  right: number | null,
): number | null {
  if (left === null || right === null) return null;
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      return right === 0 ? null : left / right;
  }
}
