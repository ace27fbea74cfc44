import { hourMs } from "./calendar.ts";
import type { Scene } from "./generate-records.ts";
import type { ReferenceProject } from "./project.ts";

const declared: Omit<ReferenceProject, "projectId" | "zone" | "weekStart"> = {
  clusters: [
    { name: "whales", day: "2024-03-20", kind: "cohort", members: ["acc-1", "acc-2"].map(byAccount) },
    {
      name: "whales",
      day: "2024-03-28",
      kind: "cohort",
      members: [...["acc-2", "acc-3", "nobody"].map(byAccount), { distinctId: "vis-4" }],
    },
    {
      name: "segment",
      day: "2024-03-21",
      kind: "tag",
      members: [
        { accountId: "acc-0", value: "new" },
        { accountId: "acc-1", value: "老" },
        { distinctId: "vis-5", value: "new" },
      ],
    },
  ],
  dimensions: {
    level: { level_name: { "0": "zero", "1": "low", "2": "low", "6": "high" } },
    channel: { kind: { web: "online", app: "mobile", 应用: "mobile" } },
  },
  virtualProperties: [
    {
      name: "double_price",
      tableType: "event",
      of: { operator: "*", left: { column: "price" }, right: { number: 2 } },
    },
    {
      name: "place",
      tableType: "event",
      of: { first: [{ column: "#city" }, { column: "channel" }, { text: "nowhere" }] },
    },
    {
      name: "stage",
      tableType: "event",
      of: {
        cases: [
          {
            when: { columnName: "level", tableType: "event", comparator: "less", ftv: ["2"] },
            text: "early",
          },
          { when: { columnName: "level", tableType: "event", comparator: "notNull", ftv: [] }, text: "late" },
        ],
      },
    },
    {
      name: "per_ram",
      tableType: "event",
      of: { operator: "/", left: { column: "score" }, right: { column: "level" } },
    },
  ],
  metrics: [
    { name: "payers", of: { type: "normal", eventName: "pay", analysis: "TRIG_USER_NUM" } },
    {
      name: "arpu",
      of: {
        type: "customized",
        customEvent: "pay.price.SUM / anyEvent.TRIG_USER_NUM",
      },
    },
    {
      name: "web_logins",
      of: {
        type: "normal",
        eventName: "login",
        analysis: "TOTAL_TIMES",
        filts: [{ columnName: "channel", tableType: "event", comparator: "equal", ftv: ["web"] }],
      },
    },
  ],
};

function byAccount(accountId: string): { readonly accountId: string } {
  return { accountId };
}

/** Around the last Sunday of March, when clocks in Europe change. */
const spring = { startMs: Date.UTC(2024, 2, 22), endMs: Date.UTC(2024, 3, 3) };

/** Zones of all sorts, weeks with both starts, changes of clocks in both directions. */
export const scenes: readonly Scene[] = [
  { project: { ...declared, projectId: 1, zone: 0, weekStart: "monday" }, ...spring },
  { project: { ...declared, projectId: 2, zone: "Europe/Berlin", weekStart: "monday" }, ...spring },
  {
    project: { ...declared, projectId: 3, zone: "America/New_York", weekStart: "sunday" },
    startMs: Date.UTC(2023, 9, 30),
    endMs: Date.UTC(2023, 10, 9),
  },
  {
    project: { ...declared, projectId: 4, zone: 5.5, weekStart: "monday" },
    startMs: Date.UTC(2023, 11, 26),
    endMs: Date.UTC(2024, 0, 6),
  },
  {
    project: { ...declared, projectId: 5, zone: "Australia/Lord_Howe", weekStart: "sunday" },
    startMs: Date.UTC(2024, 3, 2),
    endMs: Date.UTC(2024, 3, 12),
  },
];

/** When queries are asked: in the last day of the data. */
export function nowOf({ endMs }: Scene): number {
  return endMs - 7 * hourMs;
}
