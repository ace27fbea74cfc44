import { formatSecond } from "./calendar.ts";
import { channels, cities, eventNames, itemIds, type Scene, tagTexts } from "./generate-records.ts";
import type { Random } from "./random.ts";

/** A column that a request may name, and what is known of it. */
export interface KnownColumn {
  readonly columnName: string;
  readonly tableType: "event" | "user" | "cluster" | "user_cluster";
  readonly type: "number" | "text" | "boolean" | "time" | "list" | "object" | "cohort" | "unknown";
  /** A literal that may well match. */
  readonly literal: (random: Random, scene: Scene) => string;
  /** Only to be grouped by, or in filters that take any column. */
  readonly member?: true;
}

const number = (most: number) => (random: Random) =>
  random.pick([
    String(random.int(0, most)),
    `${random.int(0, most)}.50`,
    String(-random.int(0, 5)),
    "1e1",
    "+3",
  ]);
const oneOf = (texts: readonly string[]) => (random: Random) =>
  random.pick(texts.filter((text) => text !== ""));
const time = (random: Random, { startMs, endMs }: Scene) =>
  formatSecond(random.int(startMs, endMs)).slice(0, random.pick([10, 19, 19]));
const none = () => "x";

const people = ["acc-0", "acc-1", "acc-2", "vis-1", "访客-2", "nobody"];

export const columns: readonly KnownColumn[] = [
  { columnName: "price", tableType: "event", type: "number", literal: number(12) },
  { columnName: "Level", tableType: "event", type: "number", literal: number(6) },
  { columnName: "score", tableType: "event", type: "number", literal: number(60) },
  {
    columnName: "huge",
    tableType: "event",
    type: "number",
    literal: oneOf(["9007199254740992", "1e12", "0.0000001"]),
  },
  { columnName: "channel", tableType: "event", type: "text", literal: oneOf(channels) },
  { columnName: "note", tableType: "event", type: "text", literal: oneOf(["n", "note", "'", "7", "ß", "%"]) },
  { columnName: "vip", tableType: "event", type: "boolean", literal: oneOf(["true", "false"]) },
  { columnName: "due", tableType: "event", type: "time", literal: time },
  { columnName: "tags", tableType: "event", type: "list", literal: oneOf(tagTexts) },
  { columnName: "device", tableType: "event", type: "object", literal: none },
  { columnName: "device.os", tableType: "event", type: "text", literal: oneOf(["ios", "android"]) },
  { columnName: "device.ram", tableType: "event", type: "number", literal: number(8) },
  { columnName: "device.on", tableType: "event", type: "boolean", literal: oneOf(["true", "false"]) },
  { columnName: "items.id", tableType: "event", type: "list", literal: oneOf(itemIds), member: true },
  { columnName: "items.count", tableType: "event", type: "list", literal: oneOf(["1", "2.0"]), member: true },
  { columnName: "items.rare", tableType: "event", type: "list", literal: oneOf(["true"]), member: true },
  { columnName: "#city", tableType: "event", type: "text", literal: oneOf(cities) },
  { columnName: "#event_time", tableType: "event", type: "time", literal: time },
  { columnName: "#server_time", tableType: "event", type: "time", literal: time },
  { columnName: "items", tableType: "event", type: "object", literal: none },
  { columnName: "#event_name", tableType: "event", type: "text", literal: oneOf(eventNames) },
  { columnName: "#account_id", tableType: "event", type: "text", literal: oneOf(people) },
  { columnName: "#distinct_id", tableType: "event", type: "text", literal: oneOf(people) },
  { columnName: "#user_id", tableType: "event", type: "number", literal: number(8) },
  { columnName: "#vp@double_price", tableType: "event", type: "number", literal: number(20) },
  { columnName: "#vp@per_level", tableType: "event", type: "number", literal: number(8) },
  {
    columnName: "#vp@place",
    tableType: "event",
    type: "text",
    literal: oneOf([...cities, "web"]),
  },
  { columnName: "#vp@stage", tableType: "event", type: "text", literal: oneOf(["early", "late"]) },
  { columnName: "level@level_name", tableType: "event", type: "text", literal: oneOf(["zero", "low"]) },
  { columnName: "channel@kind", tableType: "event", type: "text", literal: oneOf(["online", "mobile"]) },
  { columnName: "#vp@size", tableType: "event", type: "text", literal: oneOf(["none", "some"]) },
  { columnName: "#vp@home", tableType: "user", type: "text", literal: oneOf(["DE", "a"]) },
  { columnName: "country@continent", tableType: "user", type: "text", literal: oneOf(["Europe"]) },
  { columnName: "adults", tableType: "cluster", type: "cohort", literal: none },
  { columnName: "known", tableType: "user_cluster", type: "cohort", literal: none },
  { columnName: "generation", tableType: "cluster", type: "text", literal: oneOf(["young", "rest"]) },
  { columnName: "age", tableType: "user", type: "number", literal: number(60) },
  { columnName: "country", tableType: "user", type: "text", literal: oneOf(["DE", "中国", "d"]) },
  { columnName: "premium", tableType: "user", type: "boolean", literal: oneOf(["true", "false"]) },
  { columnName: "birthday", tableType: "user", type: "time", literal: time },
  { columnName: "hobbies", tableType: "user", type: "list", literal: oneOf(tagTexts) },
  { columnName: "wallet.gold", tableType: "user", type: "number", literal: number(20) },
  { columnName: "wallet.tier", tableType: "user", type: "text", literal: oneOf(["a", "b"]) },
  { columnName: "#account_id", tableType: "user", type: "text", literal: oneOf(people) },
  { columnName: "#user_id", tableType: "user", type: "number", literal: number(8) },
  { columnName: "whales", tableType: "cluster", type: "cohort", literal: none },
  { columnName: "segment", tableType: "user_cluster", type: "text", literal: oneOf(["new", "老"]) },
  { columnName: "never_reported", tableType: "event", type: "unknown", literal: none },
  { columnName: "Never.reported", tableType: "user", type: "unknown", literal: none },
];

/** The members of a filter or group that name a column. */
export function nameColumn(random: Random, column: KnownColumn): Record<string, unknown> {
  const { columnName, tableType } = column;
  const day = random.pick(["2024-03-19", "2024-03-21", "2024-03-25", "2024-03-28", "2023-11-01"]);
  return {
    columnName,
    tableType,
    ...(random.chance(0.1) && { columnDesc: "display" }),
    ...(tableType.endsWith("cluster") && random.chance(0.5) && { specifiedClusterDate: day }),
  };
}
