import { expect, it } from "vitest";
import { furtherCases } from "../../reference/further-cases.ts";
import { type OracleAnswer, type OracleCase, oracleCases, recordsOf } from "../../reference/oracle-cases.ts";
import { type AnalysisServer, type Envelope, openAnalysisServer } from "./analysis-server.ts";

const cases = [...oracleCases, ...furtherCases];

/** Two projects for each case: its own, and one whose events must not count. */
const idsOf = (at: number) => ({ own: 2 * at + 1, other: 2 * at + 2 });

it("numbers found elsewhere come out of the whole service", { timeout: 120_000 }, async () => {
  const ids = cases.flatMap((_, at) => Object.values(idsOf(at)));
  const server = await openAnalysisServer(Object.fromEntries(ids.map((id) => [id, {}])), 0);
  for (const [at, one] of cases.entries()) await reportAll(server, one, at);
  for (const [at, one] of cases.entries()) await server.counted(idsOf(at).own, eventsOf(one));
  for (const [at, one] of cases.entries()) {
    server.clock.nowMs = Date.parse(one.now);
    const body = JSON.stringify({ ...one.request, projectId: idsOf(at).own }).replaceAll(
      '"$null"',
      '"(null)"',
    );
    const answer = await server.ask(`/open/${one.endpoint}`, JSON.parse(body));
    expect(answer, one.id).toMatchObject({ return_code: 0, return_message: "success" });
    expect(readers[one.endpoint](answer, one), `${one.id}: ${one.says}`).toEqual(closeTo(one.expect));
  }
});

function eventsOf({ events }: OracleCase): number {
  return events.filter(({ project = 1 }) => project === 1).length;
}

async function reportAll(server: AnalysisServer, one: OracleCase, at: number): Promise<void> {
  server.clock.nowMs = Date.parse(one.now);
  const { own, other } = idsOf(at);
  for (const [project, records] of recordsOf(one)) {
    await server.report(
      project === 1 ? own : other,
      records.map(({ record }) => record),
    );
  }
}

const readers = {
  "event-analyze": readAnswer,
  "event-user-list": ({ data }: Envelope) => ({
    users: data.datalist.map((user: Record<string, string>) => user["#account_id"]).sort(),
  }),
};

function readAnswer({ data }: Envelope, { expect: expected }: OracleCase): OracleAnswer {
  const compares = (expected as OracleAnswer).x_compared !== undefined;
  return {
    x: data.x.map(fullTime),
    ...(compares && { x_compared: data.x_compared.map(fullTime) }),
    metrics: data.y.map((one: Record<string, Entry[]>, index: number) => ({
      index,
      group_total: Object.values(one)[0]![0]!.group_num,
      groups: Object.values(one)[0]!.map((entry) => ({
        group_cols: readGroup(entry.group_cols),
        values: entry.values.map(readNumber),
        ...(entry.values_compared && { values_compared: entry.values_compared.map(readNumber) }),
      })),
    })),
  };
}

interface Entry {
  readonly group_cols: readonly string[];
  readonly group_num: number;
  readonly values: readonly string[];
  readonly values_compared?: readonly string[];
}

/** Returns the first second of a `yyyy-MM`, a day or a minute. */
function fullTime(label: string): string {
  return label.includes("~") ? "total" : label + "yyyy-01-01 00:00:00".slice(label.length);
}

function readGroup(labels: readonly string[]): readonly string[] {
  return labels[0] === "Overall" ? [] : labels.map((label) => (label === "(null)" ? "$null" : label));
}

function readNumber(text: string): number | null {
  return text === "-" ? null : Number(text);
}

/** Texts have at most two decimals. */
function closeTo(expected: OracleCase["expect"]): unknown {
  return JSON.parse(JSON.stringify(expected), (_, value) =>
    typeof value === "number" && !Number.isInteger(value) ? expect.closeTo(value, 2) : value,
  );
}
