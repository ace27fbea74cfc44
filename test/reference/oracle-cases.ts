import { readdirSync, readFileSync } from "node:fs";
import type { ReceivedRecord } from "./ingest.ts";
import { standardTime } from "./ingest.ts";

export interface OracleCase {
  readonly id: string;
  readonly says: string;
  readonly endpoint: "event-analyze" | "event-user-list";
  readonly now: string;
  readonly events: readonly OracleEvent[];
  readonly users?: readonly { readonly u: string; readonly p: Readonly<Record<string, unknown>> }[];
  readonly request: Readonly<Record<string, unknown>>;
  readonly expect: OracleAnswer | { readonly users: readonly string[] };
}

interface OracleEvent {
  readonly e: string;
  readonly u: string;
  /** UTC, ISO. */
  readonly t: string;
  readonly p?: Readonly<Record<string, unknown>>;
  readonly project?: number;
}

/** Labels of x are local starts in full, or `total`; null is no value, `$null` the group of none. */
export interface OracleAnswer {
  readonly x: readonly string[];
  readonly x_compared?: readonly string[];
  readonly metrics: readonly {
    readonly index: number;
    readonly group_total: number;
    readonly groups: readonly {
      readonly group_cols: readonly string[];
      readonly values: readonly (number | null)[];
      readonly values_compared?: readonly (number | null)[];
    }[];
  }[];
}

const folder = "test/testdata/oracle";

export const oracleCases: readonly OracleCase[] = readdirSync(folder)
  .sort()
  .map((name) => JSON.parse(readFileSync(`${folder}/${name}`, "utf8")));

/** The records that report a case's users and events, by project. */
export function recordsOf({ events, users = [], now }: OracleCase): Map<number, ReceivedRecord[]> {
  const receivedMs = Date.parse(now);
  const received = (record: Readonly<Record<string, unknown>>) => ({ record, receivedMs });
  const found = new Map<number, ReceivedRecord[]>([[1, []]]);
  for (const { u, p } of users) {
    const time = standardTime(receivedMs);
    found.get(1)!.push(received({ "#type": "user_set", "#account_id": u, "#time": time, properties: p }));
  }
  for (const { e, u, t, p = {}, project = 1 } of events) {
    const record = {
      "#type": "track",
      "#event_name": e,
      "#account_id": u,
      "#time": standardTime(Date.parse(t)),
      properties: p,
    };
    found.set(project, [...(found.get(project) ?? []), received(record)]);
  }
  return found;
}
