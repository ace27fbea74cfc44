import { reachOf } from "./analyze.ts";
import { readList, readObject, readText, readWhole } from "./form.ts";
import { groupsOf } from "./groups.ts";
import type { ReferenceData } from "./ingest.ts";
import { type Period, prepare } from "./prepare.ts";
import { Refused } from "./refused.ts";
import { toLocal } from "./zone.ts";

const ungrouped = new Set(["", "Overall", "总体"]);

/** User ids behind one number, ascending. @throws Refused */
export function listUsers(data: ReferenceData, nowMs: number, body: unknown): readonly number[] {
  const prepared = prepare(data, nowMs, body);
  const request = readObject(body, "body");
  const index = readWhole(request, "eventIndex", "eventIndex", 0, prepared.metrics.length - 1);
  if (index === undefined) throw new Refused("eventIndex", "missing");
  if (request["sliceGroupVal"] === undefined) throw new Refused("sliceGroupVal", "missing");
  const given = readList(request, "sliceGroupVal", "sliceGroupVal").map(String);
  const overall = prepared.keys.length === 0 && ungrouped.has(given.join());
  if (!overall && given.length !== prepared.keys.length) throw new Refused("sliceGroupVal", "wrong length");
  const group = JSON.stringify(overall ? [] : given.map((label) => (label === "(null)" ? null : label)));
  const slice = readText(request, "sliceDate", "sliceDate");
  const has = ({ buckets }: Period) => buckets.some(({ label }) => label === slice);
  const period = slice === undefined ? prepared.periods[0] : prepared.periods.find(has);
  if (period === undefined) throw new Refused("sliceDate", `no bucket: ${slice}`);
  const bucket = period.buckets.findIndex(({ label }) => label === slice);
  const users = new Set<number>();
  for (const operand of prepared.metrics[index]!.operands) {
    const reach = reachOf(operand, period);
    const reaches = slice === undefined ? reach.whole : reach.buckets[bucket]!;
    for (const event of data.events) {
      if (!reaches(event.time, toLocal(prepared.zone, event.time))) continue;
      if (!prepared.filter(event) || !operand.holds(event)) continue;
      const groups = groupsOf(prepared.keys, event);
      if (groups.some((labels) => JSON.stringify(labels) === group)) users.add(event.userId);
    }
  }
  return [...users].sort((a, b) => a - b);
}
