import type { Operator } from "../describe/arithmetic.ts";
import type { Computation } from "../describe/operand.ts";

type MeasureComputation = Computation & { readonly kind: "measure" };

/** The numbers of a computation, `length` of them; NaN for no value. @param numbersOf of a measure, a row of its own or a shared one */
export function evaluate(
  computation: Computation,
  length: number,
  numbersOf: (measure: MeasureComputation) => Float64Array,
): Float64Array {
  const numbers = calculate(computation, length, numbersOf);
  // What leaves the range of numbers is no value, like a division by zero.
  return numbers.map((number) => (Number.isFinite(number) ? number : Number.NaN));
}

function calculate(
  computation: Computation,
  length: number,
  numbersOf: (measure: MeasureComputation) => Float64Array,
): Float64Array {
  switch (computation.kind) {
    case "number":
      return new Float64Array(length).fill(computation.value);
    case "measure":
      return numbersOf(computation);
    case "binary": {
      const left = calculate(computation.left, length, numbersOf);
      const right = calculate(computation.right, length, numbersOf);
      const combine = operations[computation.operator];
      return left.map((number, i) => combine(number, right[i]!));
    }
  }
}

const operations: Readonly<Record<Operator, (left: number, right: number) => number>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => (right === 0 ? Number.NaN : left / right),
};
