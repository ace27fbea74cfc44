import type { Violation } from "./violation.ts";

/** Violations that one error reports at most. */
export const maxViolations = 50;

/** One or more fields of the request are not valid. */
export class InvalidFieldsError extends Error {
  override readonly name = "InvalidFieldsError";
  readonly violations: readonly Violation[];

  /** @param violations of which the first `maxViolations` are kept */
  constructor(violations: readonly Violation[]) {
    const reported = violations.slice(0, maxViolations);
    super(reported.map(({ field, description }) => `${field} ${description}`).join("; "));
    this.violations = reported;
  }
}

/** @throws InvalidFieldsError unless the list is empty */
export function refuseViolations(violations: readonly Violation[]): void {
  if (violations.length > 0) throw new InvalidFieldsError(violations);
}

/** @throws InvalidFieldsError always */
export function refuseField(field: string, description: string): never {
  throw new InvalidFieldsError([{ field, description }]);
}

/** The violations of the items of a list, until there are as many as one error reports. */
export function eachViolation<T>(
  items: readonly T[],
  check: (item: T, index: number) => readonly Violation[],
): readonly Violation[] {
  const found: Violation[] = [];
  for (let i = 0; i < items.length && found.length < maxViolations; i++) found.push(...check(items[i]!, i));
  return found;
}

/** The violations of a part, with the place of the part before their fields. */
export function under(place: string, violations: readonly Violation[]): readonly Violation[] {
  return violations.map(({ field, description }) => ({
    field: [place, field].filter((part) => part !== "").join(field.startsWith("[") ? "" : "."),
    description,
  }));
}
