import type { Request } from "./generate-request.ts";
import type { Random } from "./random.ts";

type Spoiler = (request: Request, random: Random) => void;

const view = (request: Request) => request["eventView"] as Record<string, unknown>;
const metric = (request: Request, random: Random) =>
  random.pick(request["events"] as Record<string, unknown>[]);
const filter =
  (change: Record<string, unknown>): Spoiler =>
  (request) => {
    const sound = { columnName: "price", tableType: "event", comparator: "greater", ftv: [1] };
    view(request)["filts"] = [{ ...sound, ...change }];
  };
const group =
  (change: Record<string, unknown>): Spoiler =>
  (request) => {
    view(request)["groupBy"] = [{ columnName: "price", tableType: "event", ...change }];
  };
const plain =
  (change: Record<string, unknown>): Spoiler =>
  (request) => {
    request["events"] = [{ type: "normal", eventName: "login", analysis: "TOTAL_TIMES", ...change }];
  };
const formula =
  (customEvent: unknown, change: Record<string, unknown> = {}): Spoiler =>
  (request) => {
    request["events"] = [{ type: "customized", eventName: "f", customEvent, ...change }];
  };
const times =
  (change: Record<string, unknown>): Spoiler =>
  (request) => {
    const sound = { recentDay: "", startTime: "2024-03-25 00:00:00", endTime: "2024-03-26 00:00:00" };
    Object.assign(view(request), sound, change);
  };
const top =
  (change: Record<string, unknown>): Spoiler =>
  (request) => {
    Object.assign(request, change);
  };

/** Each makes a sound request one that must be refused. */
export const spoilers: Readonly<Record<string, Spoiler>> = {
  "no project": top({ projectId: null }),
  "project as a word": top({ projectId: "first" }),
  "no view": top({ eventView: null }),
  "view as a list": top({ eventView: [] }),
  "no metrics": top({ events: [] }),
  "metrics missing": top({ events: undefined }),
  "limit 0": top({ limit: 0 }),
  "limit 10001": top({ limit: 10_001 }),
  "limit 1.5": top({ limit: 1.5 }),
  "limit of half a text": top({ limit: "1.5" }),
  "limit in words": top({ limit: "five" }),
  "zone in words": top({ zoneOffset: "east" }),
  "zone 25": top({ zoneOffset: 25 }),
  "zone -13": top({ zoneOffset: -13 }),
  "timeout 0": top({ timeoutSeconds: 0 }),
  "unit T1": (request) => Object.assign(view(request), { timeParticleSize: "T1" }),
  "no unit": (request) => Object.assign(view(request), { timeParticleSize: "" }),
  "recent words": (request) => Object.assign(view(request), { recentDay: "last week" }),
  "recent backwards": (request) => Object.assign(view(request), { recentDay: "7-1" }),
  "recent 0-0": (request) => Object.assign(view(request), { recentDay: "0-0" }),
  "a day that is not": times({ startTime: "2024-02-30 00:00:00" }),
  "an hour that is not": times({ startTime: "2024-03-25 24:00:00" }),
  "ISO time": times({ startTime: "2024-03-25T00:00:00Z" }),
  "end before start": times({ endTime: "2024-03-24 00:00:00" }),
  "no end": times({ endTime: null }),
  "no comparison range": (request) =>
    Object.assign(view(request), {
      comparedByTime: true,
      comparedRecentDay: "",
      comparedStartTime: "",
      comparedEndTime: "",
    }),
  "relation xor": (request) => Object.assign(view(request), { relation: "xor" }),
  "comparator greaterThan": filter({ comparator: "greaterThan" }),
  "no comparator": filter({ comparator: null }),
  "two values for greater": filter({ ftv: [1, 2] }),
  "no value for equal": filter({ comparator: "equal", ftv: [] }),
  "one value for range": filter({ comparator: "range", ftv: [1] }),
  "a value for isNull": filter({ comparator: "isNull", ftv: [1] }),
  "text for a number": filter({ ftv: ["many"] }),
  "NaN for a number": filter({ ftv: ["NaN"] }),
  "1e400 for a number": filter({ ftv: ["1e400"] }),
  "an object as value": filter({ ftv: [{}] }),
  "no column": filter({ columnName: "" }),
  "no table": filter({ tableType: null }),
  "table 0": filter({ tableType: "0" }),
  "kind ANY": filter({ filterType: "ANY" }),
  "a broken pattern": filter({ columnName: "channel", comparator: "regexMatch", ftv: ["("] }),
  "no unit of an event's time": filter({ columnName: "due", comparator: "relativeEventBefore", ftv: [1] }),
  "a unit of an event's time": filter({
    columnName: "due",
    comparator: "relativeEventBefore",
    ftv: [1],
    timeUnit: "week",
  }),
  "a time that is not": filter({ columnName: "due", comparator: "less", ftv: ["tomorrow"] }),
  "position 0": filter({ columnName: "tags", comparator: "arrayItemPos", ftv: [0, "x"] }),
  "isTrue of a number": filter({ comparator: "isTrue", ftv: [] }),
  "include of a number": filter({ comparator: "include" }),
  "less of a text": filter({ columnName: "channel", comparator: "less" }),
  "a cohort as a text": filter({ columnName: "whales", tableType: "cluster", comparator: "equal" }),
  "ranges that fall": group({ propertyRange: "20,10" }),
  "ranges of words": group({ propertyRange: "a,b" }),
  "range type": group({ propertyRangeType: "log" }),
  "group without column": group({ columnName: null }),
  "group without table": group({ tableType: "" }),
  "groups as words": (request) => Object.assign(view(request), { groupBy: ["price"] }),
  "cluster day": group({ columnName: "whales", tableType: "cluster", specifiedClusterDate: "yesterday" }),
  "split without property": (request) =>
    Object.assign(view(request), { eventSplit: { event: { eventName: "login" } } }),
  "analysis COUNT": plain({ analysis: "COUNT" }),
  "no analysis": plain({ analysis: null }),
  "no metric type": plain({ type: null }),
  "metric type 0": plain({ type: 0 }),
  "no event": plain({ eventName: "" }),
  "SUM of nothing": plain({ analysis: "SUM" }),
  "SUM of a text": plain({ analysis: "SUM", quota: "channel" }),
  "TRUE of a number": plain({ analysis: "TRUE", quota: "price" }),
  "elements of a text": plain({ analysis: "ARRAY_ITEM_DISTINCT", quota: "channel" }),
  "TOTAL_TIMES of a property in a formula": formula("login.price.TOTAL_TIMES"),
  "an operand too many": plain({ eventSplitIndexes: [1] }),
  "no percentile": plain({ analysis: "PERCENTILE", quota: "price" }),
  "percentile 0": plain({ analysis: "PERCENTILE", quota: "price", analysisParams: "0" }),
  "percentile 101": plain({ analysis: "PERCENTILE", quota: "price", analysisParams: "101" }),
  "percentile ten": plain({ analysis: "PERCENTILE", quota: "price", analysisParams: "ten" }),
  "unknown metric": plain({ analysis: null, metricName: "unheard_of" }),
  "no days": plain({ quotaTimeRanges: [{ index: 0, type: "LAST_DAYS", params: [] }] }),
  "window of no kind": plain({ quotaTimeRanges: [{ index: 0, type: "NEXT_DAYS", params: ["1"] }] }),
  "window backwards": plain({ quotaTimeRanges: [{ index: 0, type: "TIME_RANGE", params: ["2", "1"] }] }),
  "entity without column": plain({ quotaEntities: [{ index: 0, taIdMeasure: { tableType: "event" } }] }),
  "no formula": formula(null),
  "half a formula": formula("login.TOTAL_TIMES +"),
  "open bracket": formula("(login.TOTAL_TIMES"),
  "closed bracket": formula("login.TOTAL_TIMES)"),
  "two operands": formula("(login.TOTAL_TIMES) pay.TOTAL_TIMES"),
  "operand without analysis": formula("login.price"),
  "operand with an empty part": formula("login..TOTAL_TIMES"),
  "unknown metric of a formula": formula(null, { metricName: "unheard_of" }),
  "operand SUM without property": formula("login.SUM"),
  "a word": formula("process.exit(1)"),
  "unknown metric in a formula": formula("$metric.unheard_of"),
  "filters of no operand": formula("login.TOTAL_TIMES", { customFilters: [{ filts: [] }] }),
  "metric as text": (request) => Object.assign(request, { events: ["login"] }),
  "filters as an object": (request, random) => Object.assign(metric(request, random), { filts: {} }),
};
