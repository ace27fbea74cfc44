import { create } from "@bufbuild/protobuf";
import type { Violation } from "../../../base/rpc/violation.ts";
import { createHintBudget, knownNames } from "../../../base/text/known-names.ts";
import { quote, quoteList } from "../../../base/text/quote.ts";
import { type Warning, WarningReason, WarningSchema } from "../../../gen/engage/analysis/v1/result_pb.ts";
import { AnalysisRefusal, returnCodes } from "../refusal/refusal.ts";
import { isChangedByDouble } from "../text-form.ts";

const maxViolations = 50;
const maxWarnings = 100;
/** Most unknown names that get a hint. */
const maxHints = 10;

/** Collects the refusals and warnings of a query while it is described, so that all are reported together. */
export interface Problems {
  /** @param rule such as `must be a whole number from 1 to 10000` */
  refuse(field: string, value: string | number | undefined, rule: string): void;
  /** @param value number of an enum's value that has no word; 0 when it is not set */
  refuseWord(field: string, value: number, valid: readonly string[]): void;
  /** Adds a warning, once for each field and message. */
  warn(reason: WarningReason, field: string, message: string): void;
  /** Says which names are known, after a separator; empty after many hints. */
  hint(name: string, known: () => readonly string[], separator?: string): string;
  readonly warnings: readonly Warning[];
  /** One refusal for all faults. */
  readonly refusal: AnalysisRefusal | undefined;
  /** @throws AnalysisRefusal when anything has been refused */
  throwIfAny(): void;
}

export function createProblems(): Problems {
  const violations: Violation[] = [];
  const warnings = new Map<string, Warning>();
  let hints = 0;
  const budget = createHintBudget();
  const refuse: Problems["refuse"] = (field, value, rule) => {
    if (violations.length === maxViolations) return;
    violations.push({ field, description: value === undefined ? rule : `${quote(value)} ${rule}` });
  };
  return {
    refuse,
    refuseWord: (field, value, valid) =>
      value === 0
        ? refuse(field, undefined, `is required, one of ${quoteList(valid)}`)
        : refuse(field, value, `must be one of ${quoteList(valid)}`),
    warn(reason, field, message) {
      const key = `${field}\n${message}`;
      if (warnings.size === maxWarnings || warnings.has(key)) return;
      warnings.set(key, create(WarningSchema, { reason, field, message }));
    },
    hint(name, known, separator = ", ") {
      return ++hints > maxHints ? "" : separator + knownNames(name, known(), { budget });
    },
    get warnings() {
      return [...warnings.values()];
    },
    get refusal() {
      if (violations.length === 0) return undefined;
      const message = violations.map(({ field, description }) => `${field}: ${description}`).join("; ");
      return new AnalysisRefusal(returnCodes.parameter, message, { violations });
    },
    throwIfAny() {
      if (this.refusal !== undefined) throw this.refusal;
    },
  };
}

export function warnUnknown(
  problems: Problems,
  field: string,
  { what, name, effect, known }: Undeclared,
): void {
  const hint = problems.hint(name, known, "; ");
  const message = `${field}: ${what} ${quote(name)} is not known, ${effect}${hint}`;
  problems.warn(WarningReason.UNKNOWN_NAME, field, message);
}

/** Refuses a pattern that is too large for the engine; undefined for a pattern of a definition. */
export function refuseLargePattern(
  found: { readonly field: string; readonly pattern: string } | undefined,
): AnalysisRefusal {
  const problems = createProblems();
  const rule = "is a regular expression too large for the engine; use fewer repetitions or smaller classes";
  problems.refuse(found?.field ?? "query", found?.pattern, rule);
  return problems.refusal!;
}

/** Refuses a query whose conditions, repeated for each metric, are too large for the engine. */
export function refuseLargePlan(): AnalysisRefusal {
  const problems = createProblems();
  const rule =
    "is too large for the engine: its conditions count once for each metric; use fewer metrics or conditions";
  problems.refuse("query", undefined, rule);
  return problems.refusal!;
}

/** A name in a query that was not declared, imported or reported. */
export interface Undeclared {
  readonly what: string;
  readonly name: string;
  /** Such as `it has no values`. */
  readonly effect: string;
  readonly known: () => readonly string[];
}

/** Reports an undeclared name: as a warning in the result, or as a refusal where results have no warnings. */
export type ReportUndeclared = (problems: Problems, field: string, undeclared: Undeclared) => void;

export const warnUndeclared: ReportUndeclared = (problems, field, undeclared) =>
  warnUnknown(problems, field, undeclared);

export const refuseUndeclared: ReportUndeclared = (problems, field, { what, name, known }) =>
  problems.refuse(field, name, `is not known as a ${what}${problems.hint(name, known)}`);

/** Warns of an integer that is not exact as a double. */
export function warnOfDigits(problems: Problems, field: string, text: string): void {
  if (!isChangedByDouble(text)) return;
  const limit = "numbers are exact up to 9007199254740991, report longer ids as texts";
  const message = `${field}: ${quote(text)} is read as ${BigInt(Number(text))}; ${limit}`;
  problems.warn(WarningReason.ROUNDED, field, message);
}

export function warnNoEffect(problems: Problems, field: string, message: string): void {
  problems.warn(WarningReason.NO_EFFECT, field, `${field} ${message}`);
}
