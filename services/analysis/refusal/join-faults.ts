import type { QueryViolation } from "./refusal.ts";

/** Members that say nothing for sure about these others of their object while they can't be read. */
const told: Readonly<Record<string, readonly string[]>> = {
  recentDay: ["startTime", "endTime"],
  comparedRecentDay: ["comparedStartTime", "comparedEndTime"],
  propertyRangeType: ["propertyRange"],
  subTableType: ["columnName", "comparator"],
  filterType: ["columnName", "comparator", "ftv", "filts", "tableType", "timeUnit"],
  groupBy: ["sliceGroupVal"],
  events: ["eventIndex"],
};

/**
 * Faults of a query's form with those of its meaning, leaving out those that
 * come of the others: what could not be read counts as missing.
 */
export function joinFaults(
  form: readonly QueryViolation[],
  meaning: readonly QueryViolation[],
): readonly QueryViolation[] {
  // Of what is no object nothing can be said.
  if (form.some(({ field }) => field === "body")) return form;
  const doubtful = form.flatMap(({ field }) => [field, ...consequencesOf(field)]);
  const isOwn = ({ field }: QueryViolation) =>
    !doubtful.some((one) => isWithin(field, one) || isWithin(one, field));
  return [...form, ...meaning.filter(isOwn)];
}

function consequencesOf(field: string): readonly string[] {
  const [, owner = "", name = field] = /^(.*\.)?([^.[]+)(?:\[\d+\])*$/.exec(field) ?? [];
  const at = name === "groupBy" ? "" : owner;
  return (told[name] ?? []).map((other) => `${at}${other}`);
}

const isWithin = (field: string, owner: string): boolean =>
  field === owner || [".", "[", " "].some((end) => field.startsWith(owner + end));
