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
      members: ["acc-2", "acc-3", "nobody"].map(byAccount),
    },
    {
      name: "segment",
      day: "2024-03-21",
      kind: "tag",
      members: [
        { accountId: "acc-0", value: "new" },
        { accountId: "acc-1", value: "老" },
        { accountId: "acc-5", value: "new" },
      ],
    },
  ],
  cohorts: {
    adults: { filts: [{ columnName: "age", tableType: "user", comparator: "greater", ftv: [18] }] },
    known: {
      relation: "or",
      filts: [
        { columnName: "country", tableType: "user", comparator: "notNull", ftv: [] },
        { columnName: "premium", tableType: "user", comparator: "isTrue", ftv: [] },
      ],
    },
  },
  tags: {
    generation: [
      { value: "young", filts: [{ columnName: "age", tableType: "user", comparator: "less", ftv: ["30"] }] },
      { value: "rest", filts: [{ columnName: "age", tableType: "user", comparator: "notNull", ftv: [] }] },
    ],
  },
  dimensions: [
    {
      property: "level",
      table: "event",
      rows: [
        { level: "0", level_name: "zero", rank: "z" },
        { level: "1", level_name: "low", rank: "y" },
        { level: "2", level_name: "low", rank: "x" },
        { level: "6", level_name: "high", rank: "w" },
      ],
    },
    {
      property: "channel",
      table: "event",
      rows: [
        { channel: "web", kind: "online" },
        { channel: "app", kind: "mobile" },
        { channel: "应用", kind: "mobile" },
      ],
    },
    { property: "country", table: "user", rows: [{ country: "DE", continent: "Europe" }] },
  ],
  virtualProperties: {
    double_price: { table: "event", expression: "price * 2" },
    per_level: { table: "event", expression: "(score + device.ram) / level - 1" },
    place: { table: "event", first: ["#city", "channel"] },
    size: { table: "event", of: "level", values: { "0": "none", "3": "some", "4": "some" } },
    stage: {
      table: "event",
      cases: [
        {
          value: "early",
          filts: [{ columnName: "level", tableType: "event", comparator: "less", ftv: ["2"] }],
        },
        {
          value: "late",
          filts: [{ columnName: "level", tableType: "event", comparator: "notNull", ftv: [] }],
        },
      ],
    },
    home: { table: "user", first: ["country", "wallet.tier"] },
  },
  metrics: {
    payers: { type: "normal", eventName: "pay", analysis: "TRIG_USER_NUM" },
    arpu: { type: "customized", eventName: "arpu", customEvent: "pay.price.SUM / anyEvent.TRIG_USER_NUM" },
    web_logins: {
      type: "normal",
      eventName: "login",
      analysis: "TOTAL_TIMES",
      filts: [{ columnName: "channel", tableType: "event", comparator: "equal", ftv: ["web"] }],
    },
  },
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
