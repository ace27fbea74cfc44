import { describe, expect, it } from "vitest";
import { analyze, type ReferenceAnswer } from "./analyze.ts";
import { formatSecond } from "./calendar.ts";
import { furtherCases } from "./further-cases.ts";
import { ingest, type ReferenceData } from "./ingest.ts";
import { listUsers } from "./list-users.ts";
import { type OracleAnswer, type OracleCase, oracleCases, recordsOf } from "./oracle-cases.ts";
import { plainProject } from "./project.ts";

const cases = [...oracleCases, ...furtherCases];

/** The reference itself, against numbers that were found elsewhere or worked out by hand. */
describe("reference evaluator", () => {
  it.each(cases.filter(({ endpoint }) => endpoint === "event-analyze"))("$id: $says", (one) => {
    const answer = analyze(dataOf(one), Date.parse(one.now), withNullLabels(one.request));
    const expected = one.expect as OracleAnswer;
    expect(toOracle(answer, expected.x_compared !== undefined)).toEqual(closeTo(expected));
  });

  it.each(cases.filter(({ endpoint }) => endpoint === "event-user-list"))("$id: $says", (one) => {
    const data = dataOf(one);
    const ids = listUsers(data, Date.parse(one.now), withNullLabels(one.request));
    const names = ids.map((id) => data.users.get(id)!.accountId).sort();
    expect({ users: names }).toEqual(one.expect);
  });
});

/** Numbers that are not whole may differ in their last digits. */
function closeTo(expected: OracleAnswer): unknown {
  return JSON.parse(JSON.stringify(expected), (_, value) =>
    typeof value === "number" && !Number.isInteger(value) ? expect.closeTo(value, 9) : value,
  );
}

function dataOf(one: OracleCase): ReferenceData {
  return ingest({ ...plainProject, projectId: 1 }, recordsOf(one).get(1)!);
}

function withNullLabels(request: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(request).replaceAll('"$null"', '"(null)"'));
}

function toOracle(answer: ReferenceAnswer, compares: boolean): OracleAnswer {
  const labels = (starts: readonly number[]) =>
    answer.unit === "total" ? starts.map(() => "total") : starts.map(formatSecond);
  return {
    x: labels(answer.xStarts),
    ...(compares && { x_compared: labels(answer.xComparedStarts) }),
    metrics: answer.results.map(({ index, groupNum, groups }) => ({
      index,
      group_total: groupNum,
      groups: groups.map(({ cols, values, compared }) => ({
        group_cols: cols.map((label) => label ?? "$null"),
        values,
        ...(compared && { values_compared: compared }),
      })),
    })),
  };
}
