import { parseDate } from "../../../../base/time/local-time.ts";
import { SubTableType } from "../../../../gen/engage/analysis/v1/column_pb.ts";
import type { Cohort } from "../../../../store/events/events.ts";
import type { Branch } from "../../project/definitions.ts";
import { type DescribeContext, never } from "../context.ts";
import { queryLimits } from "../limits.ts";
import { warnNoEffect } from "../problems.ts";
import type { Column, ColumnName } from "./column.ts";

/** Finds a cohort or a tag, declared by the project or imported. Returns undefined when it was refused. */
export function findCohort(name: ColumnName, field: string, context: DescribeContext): Column | undefined {
  const { columnName, subTableType = SubTableType.UNSPECIFIED, specifiedClusterDate: day = "" } = name;
  if (day !== "" && parseDate(day) === undefined) {
    const rule = "must be an existing day, as yyyy-MM-dd";
    context.problems.refuse(`${field}.specifiedClusterDate`, day, rule);
    return undefined;
  }
  const { cohorts, tags } = context.project;
  const kind = context.importedCohorts.get(columnName);
  const wantsImported = subTableType === SubTableType.CLUSTER_BY_IMPORT && kind !== undefined;
  const wantsTag = subTableType === SubTableType.TAG_BY_DYNAMIC_CONDITION && tags.has(columnName);
  const cohort = wantsImported || wantsTag ? undefined : cohorts.get(columnName);
  const tag = wantsImported ? undefined : tags.get(columnName);
  if (day !== "" && (cohort ?? tag) !== undefined) {
    const effect = `has no effect on ${JSON.stringify(columnName)}, which is declared and has no versions`;
    warnNoEffect(context.problems, `${field}.specifiedClusterDate`, effect);
  }
  if (cohort !== undefined) {
    const members = nested(columnName, field, context, (inner) => inner.describeFilter(cohort, field, inner));
    return members === undefined ? undefined : { type: "cohort", value: { kind: "null" }, cohort: members };
  }
  if (tag !== undefined)
    return nested(columnName, field, context, (inner) => branchColumn(tag, field, inner));
  return findImported(columnName, day, field, context);
}

function findImported(
  name: string,
  day: string,
  field: string,
  { project, importedCohorts, problems, reportUndeclared }: DescribeContext,
): Column {
  const cohort: Cohort = day === "" ? { name } : { name, day };
  const imported = importedCohorts.get(name);
  if (imported !== undefined && day !== "" && day < imported.days[0]!) {
    const what = `version of ${JSON.stringify(name)}`;
    const effect = "there are no members before the first one";
    const undeclared = { what, name: day, effect, known: () => imported.days };
    reportUndeclared(problems, `${field}.specifiedClusterDate`, undeclared);
  }
  switch (imported?.kind) {
    case "tag":
      return { type: "text", value: { kind: "tag", cohort } };
    case "cohort":
      return { type: "cohort", value: { kind: "null" }, cohort: { kind: "inCohort", cohort } };
    default:
      if (name !== "") {
        const known = () => [
          ...new Set([...project.cohorts.keys(), ...project.tags.keys(), ...importedCohorts.keys()]),
        ];
        const undeclared = { what: "cohort or tag", name, effect: "it has no members", known };
        reportUndeclared(problems, `${field}.columnName`, undeclared);
      }
      return { type: "cohort", value: { kind: "null" }, cohort: never };
  }
}

/** Describes a column with the text of the first branch whose condition holds. */
export function branchColumn(
  branches: readonly Branch[],
  field: string,
  context: DescribeContext,
): Column | undefined {
  const described = branches.map(({ text, when }) => ({
    text,
    when: context.describeFilter(when, field, context),
  }));
  if (described.some(({ when }) => when === undefined)) return undefined;
  return {
    type: "text",
    value: { kind: "case", branches: described.map(({ text, when }) => ({ text, when: when ?? never })) },
  };
}

/** Describes a definition. Definitions may refer to others, but not to themselves. */
export function nested<T>(
  name: string,
  field: string,
  context: DescribeContext,
  describe: (inner: DescribeContext) => T,
): T | undefined {
  const { definitions } = context;
  if (definitions.includes(name) || definitions.length === queryLimits.definitionDepth) {
    const path = [...definitions, name].map((one) => JSON.stringify(one)).join(" > ");
    context.problems.refuse(field, undefined, `needs definitions that refer to each other: ${path}`);
    return undefined;
  }
  return describe({ ...context, definitions: [...definitions, name] });
}
