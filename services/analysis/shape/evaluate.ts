import type { Operator } from "../describe/metric/arithmetic.ts";
import type { Computation } from "../describe/metric/operand.ts";

export type MeasureComputation = Computation & { readonly kind: "measure" };

/**
 * Evaluates a computation; NaN for no value.
 * @param numbersOf returns a measure: `length` numbers that may be overwritten
 */
export function evaluate(
  computation: Computation,
  length: number,
  numbersOf: (measure: MeasureComputation) => Float64Array,
): Float64Array {
  const numbers = calculate(computation, length, numbersOf);
  // Infinite numbers count as no value, like a division by zero.
  for (let i = 0; i < numbers.length; i++) if (!Number.isFinite(numbers[i])) numbers[i] = Number.NaN;
  return numbers;
}

function calculate(
  computation: Computation,
  length: number,
  numbersOf: (measure: MeasureComputation) => Float64Array,
): Float64Array {
  switch (computation.kind) {
    case "number":
      return new Float64Array(length).fill(computation.value);
    case "measure": {
      const numbers = numbersOf(computation);
      if (!computation.nullIsZero) return numbers;
      for (let i = 0; i < numbers.length; i++) if (Number.isNaN(numbers[i])) numbers[i] = 0;
      return numbers;
    }
    case "binary": {
      const left = calculate(computation.left, length, numbersOf);
      const right = calculate(computation.right, length, numbersOf);
      const combine = operations[computation.operator];
      for (let i = 0; i < left.length; i++) left[i] = combine(left[i]!, right[i]!);
      return left;
    }
  }
}

const operations: Readonly<Record<Operator, (left: number, right: number) => number>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => (right === 0 ? Number.NaN : left / right),
};

/** Returns the indexes of the scans that a computation needs. */
export function scansOf(computation: Computation): ReadonlySet<number> {
  switch (computation.kind) {
    case "number":
      return new Set();
    case "measure":
      return new Set([computation.ref.scan]);
    case "binary":
      return scansOf(computation.left).union(scansOf(computation.right));
  }
}
