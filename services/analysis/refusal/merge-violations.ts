import type { Violation } from "../../../base/rpc/violation.ts";

/** The members whose faults may follow from an unreadable member of the same object, by that member. */
const consequences: Readonly<Record<string, readonly string[]>> = {
  recentDay: ["startTime", "endTime"],
  comparedRecentDay: ["comparedStartTime", "comparedEndTime"],
  propertyRangeType: ["propertyRange"],
  subTableType: ["columnName", "comparator"],
  filterType: ["columnName", "comparator", "ftv", "filts", "tableType", "timeUnit"],
  groupBy: ["sliceGroupVal"],
  events: ["eventIndex"],
};

/**
 * Merges the faults of a query's form with those of its meaning, without those that follow from the others: a member
 * that could not be read counts as missing.
 */
export function mergeViolations(
  form: readonly Violation[],
  meaning: readonly Violation[],
): readonly Violation[] {
  // Nothing is known about a body that is not an object.
  if (form.some(({ field }) => field === "body")) return form;
  const uncertain = form.flatMap(({ field }) => [field, ...consequencesOf(field)]);
  const isOwn = ({ field }: Violation) =>
    !uncertain.some((one) => isWithin(field, one) || isWithin(one, field));
  return [...form, ...meaning.filter(isOwn)];
}

function consequencesOf(field: string): readonly string[] {
  const [, owner = "", name = field] = /^(.*\.)?([^.[]+)(?:\[\d+\])*$/.exec(field) ?? [];
  const at = name === "groupBy" ? "" : owner;
  return (consequences[name] ?? []).map((other) => `${at}${other}`);
}

const isWithin = (field: string, owner: string): boolean =>
  field === owner || [".", "[", " "].some((end) => field.startsWith(owner + end));
