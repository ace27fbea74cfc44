import { create } from "@bufbuild/protobuf";
import { nearestName } from "../../../base/text/nearest.ts";
import { quote, quoteList } from "../../../base/text/quote.ts";
import { type Warning, WarningReason, WarningSchema } from "../../../gen/engage/analysis/v1/result_pb.ts";
import { AnalysisRefusal, type QueryViolation, returnCodes } from "../refusal/refusal.ts";
import { isChangedByDouble } from "../text-form.ts";

const maxViolations = 50;
const maxWarnings = 100;
/** Looking for the nearest of some thousand names takes milliseconds, so only so many unknown names get it. */
const maxHints = 10;

/** What is found wrong or odd about a query while it is described, so that all of it can be told at once. */
export interface Problems {
  /** @param rule such as `must be a whole number from 1 to 10000` */
  refuse(field: string, value: string | number | undefined, rule: string): void;
  /** @param value number of an enum's value that has no word; 0 when it is not set */
  refuseWord(field: string, value: number, valid: readonly string[]): void;
  /** Once for each field and message. */
  warn(reason: WarningReason, field: string, message: string): void;
  /** The nearest of the known names and a list of them, empty once there were many. @param separator before it. @param lead such as `known are` */
  hint(name: string, known: () => readonly string[], separator: string, lead: string): string;
  readonly warnings: readonly Warning[];
  /** Of all that has been refused. */
  readonly refusal: AnalysisRefusal | undefined;
  /** @throws AnalysisRefusal when anything has been refused */
  throwIfAny(): void;
}

export function createProblems(): Problems {
  const violations: QueryViolation[] = [];
  const warnings = new Map<string, Warning>();
  let hints = 0;
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
    hint(name, known, separator, lead) {
      return ++hints > maxHints ? "" : separator + hintOf(name, known(), lead);
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
  const hint = problems.hint(name, known, "; ", "known are");
  const message = `${field}: ${what} ${quote(name)} is not known, ${effect}${hint}`;
  problems.warn(WarningReason.UNKNOWN_NAME, field, message);
}

/** Of a pattern that the engine has no room for; undefined when it is one of a definition's. */
export function refuseLargePattern(
  found: { readonly field: string; readonly pattern: string } | undefined,
): AnalysisRefusal {
  const problems = createProblems();
  const rule = "is a regular expression too large for the engine; use fewer repetitions or smaller classes";
  problems.refuse(found?.field ?? "query", found?.pattern, rule);
  return problems.refusal!;
}

/** Of a query whose conditions, repeated for each metric that has them, are more than the engine takes. */
export function refuseLargePlan(): AnalysisRefusal {
  const problems = createProblems();
  const rule =
    "is too large for the engine: its conditions count once for each metric; use fewer metrics or conditions";
  problems.refuse("query", undefined, rule);
  return problems.refusal!;
}

/** Names that are listed where one is wrong. */
const maxListed = 20;
/** No name is longer by much. */
const maxCompared = 100;

/** A name in a query that stands for nothing: what has to be declared, imported or reported before. */
export interface Undeclared {
  readonly what: string;
  readonly name: string;
  /** Such as `it has no values`. */
  readonly effect: string;
  readonly known: () => readonly string[];
}

/** A warning in an answer, which its caller sees; a refusal where there is no answer to hold it. */
export type ReportUndeclared = (problems: Problems, field: string, undeclared: Undeclared) => void;

export const warnUndeclared: ReportUndeclared = (problems, field, undeclared) =>
  warnUnknown(problems, field, undeclared);

export const refuseUndeclared: ReportUndeclared = (problems, field, { what, name, known }) =>
  problems.refuse(field, name, `is not known as a ${what}${problems.hint(name, known, ", ", "valid are")}`);

function hintOf(name: string, known: readonly string[], lead: string): string {
  if (known.length === 0) return "there are none";
  const nearest = known.length === 1 ? undefined : nearestName(name.slice(0, maxCompared), known);
  const suggestion = nearest === undefined ? "" : `did you mean ${quote(nearest)}? `;
  const more = known.length > maxListed ? ` and ${known.length - maxListed} more` : "";
  return `${suggestion}${lead} ${known.slice(0, maxListed).map(quote).join(", ")}${more}`;
}

/** Of a whole number that a double changes. */
export function warnOfDigits(problems: Problems, field: string, text: string): void {
  if (!isChangedByDouble(text)) return;
  const limit = "numbers are exact up to 9007199254740991, report longer ids as texts";
  const message = `${field}: ${quote(text)} is read as ${BigInt(Number(text))}; ${limit}`;
  problems.warn(WarningReason.ROUNDED, field, message);
}

export function warnNoEffect(problems: Problems, field: string, message: string): void {
  problems.warn(WarningReason.NO_EFFECT, field, `${field} ${message}`);
}
