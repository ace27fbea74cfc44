import { numberOf, wordsOf } from "../../../../base/protobuf/enum-words.ts";
import { knownNames } from "../../../../base/text/known-names.ts";
import { quote } from "../../../../base/text/quote.ts";
import { type Aggregation, AggregationSchema } from "../../../../gen/engage/analysis/v1/event_metric_pb.ts";
import { queryLimits } from "../limits.ts";
import type { Problems } from "../problems.ts";
import { type Arithmetic, ArithmeticError, parseArithmetic } from "./arithmetic.ts";
import { needsQuota } from "./operand.ts";

/** The meaning of one operand: an aggregation of an event's property, or a metric of the project. */
export type OperandName =
  | {
      readonly kind: "event";
      readonly eventName: string;
      readonly aggregation: Aggregation;
      /** Empty where the aggregation needs none. */
      readonly quota: string;
    }
  | { readonly kind: "metric"; readonly name: string };

/** A parsed formula and its operands. */
export interface Formula {
  readonly tree: Arithmetic;
  readonly operands: readonly OperandName[];
}

/** Parses a formula; returns undefined when it was refused. */
export function readFormula(text: string, field: string, problems: Problems): Formula | undefined {
  if (text.trim() === "") {
    problems.refuse(field, undefined, "is required for a formula");
    return undefined;
  }
  if (text.length > queryLimits.formulaCharacters) {
    problems.refuse(field, undefined, `must have at most ${queryLimits.formulaCharacters} characters`);
    return undefined;
  }
  try {
    const { tree, operands } = parseArithmetic(text);
    const names = operands.map((operand) => readOperand(operand, field, problems));
    return names.includes(undefined) ? undefined : { tree, operands: names as readonly OperandName[] };
  } catch (error) {
    if (!(error instanceof ArithmeticError)) throw error;
    problems.refuse(field, text, error.message);
    return undefined;
  }
}

const metricPrefix = "$metric.";

/**
 * Reads `event.ANALYSIS` or `event.property.ANALYSIS`: properties may contain dots, events and aggregations may not.
 */
function readOperand(text: string, field: string, problems: Problems): OperandName | undefined {
  if (text.startsWith(metricPrefix)) return { kind: "metric", name: text.slice(metricPrefix.length) };
  const [first, last] = [text.indexOf("."), text.lastIndexOf(".")];
  if (first < 1) {
    const forms = '"event.ANALYSIS", "event.property.ANALYSIS", "$metric.name" or a number';
    problems.refuse(field, text, `must be ${forms}`);
    return undefined;
  }
  const word = text.slice(last + 1).trim();
  const aggregation = numberOf(AggregationSchema, word) as Aggregation | undefined;
  if (aggregation === undefined) {
    const valid = knownNames(word, wordsOf(AggregationSchema));
    problems.refuse(field, text, `ends in the unknown analysis ${quote(word)}, ${valid}`);
    return undefined;
  }
  if (text.split(".").some((part) => part.trim() === "")) {
    problems.refuse(field, text, "must have a name before, between and after its dots");
    return undefined;
  }
  const quota = first === last ? "" : text.slice(first + 1, last).trim();
  if (needsQuota(aggregation) === (quota !== "")) {
    return { kind: "event", eventName: text.slice(0, first).trim(), aggregation, quota };
  }
  const rule =
    quota === "" ? `needs a property, as in "event.property.${word}"` : `takes no property with ${word}`;
  problems.refuse(field, text, rule);
  return undefined;
}
