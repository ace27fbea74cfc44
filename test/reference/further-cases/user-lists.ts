import type { OracleCase } from "../oracle-cases.ts";
import { by, days, event, formula, normal, total, userList, values, visits } from "./builders.ts";

export const userListCases: readonly OracleCase[] = [
  userList(
    "users of a formula",
    "The list of a formula has the users of any operand",
    visits,
    { eventView: total(1, 2), events: [formula("v.TOTAL_TIMES / w.TOTAL_TIMES")] },
    ["a", "b", "c"],
  ),
  userList(
    "users of an element",
    "The list of one element has the users whose list holds it",
    [event("v", "a", 1, { l: ["x", "y"] }), event("v", "b", 1, { l: ["y"] }), event("v", "c", 1)],
    {
      eventView: { ...days(1, 1), ...by("l") },
      events: [normal("v", "AVG", { quota: "n" })],
      sliceGroupVal: ["y"],
    },
    ["a", "b"],
  ),
  userList(
    "users without a value",
    "The list of the group of no value over the whole",
    [event("v", "a", 1, { c: "x" }), event("v", "b", 1), event("v", "c", 2, { c: "" }), event("v", "d", 9)],
    {
      eventView: { ...total(1, 2), ...by("c") },
      events: [normal("v", "TOTAL_TIMES")],
      sliceGroupVal: ["$null"],
    },
    ["b", "c"],
  ),
  userList(
    "users of an interval",
    "The list of an interval has the users whose number is in it",
    values("n", [9, 10, 19.9, 20]),
    {
      eventView: { ...days(1, 1), ...by({ columnName: "n", propertyRange: "10,20" }) },
      events: [normal("e", "SUM", { quota: "n" })],
      sliceDate: "2024-05-01",
      sliceGroupVal: ["[10,20)"],
    },
    ["u1", "u2"],
  ),
];
