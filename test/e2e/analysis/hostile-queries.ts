const view = { startTime: "2026-01-01", endTime: "2026-01-02", timeParticleSize: "day" };
const metric = { type: "normal", eventName: "play", analysis: "TOTAL_TIMES" };

const viewed = (more: object) => ({ projectId: 1, eventView: { ...view, ...more }, events: [metric] });
export const plain = viewed({});
const measured = (more: object) => ({ ...plain, events: [{ ...metric, ...more }] });
const filtered = (more: object) =>
  viewed({ filts: [{ columnName: "g", tableType: "event", comparator: "equal", ftv: ["a"], ...more }] });
const number = (text: string) => filtered({ columnName: "n", comparator: "greater", ftv: [text] });
const pattern = (text: string) => filtered({ comparator: "regexMatch", ftv: [text] });
const formula = (customEvent: string) => measured({ type: "customized", customEvent });
const grouped = (more: object) => viewed({ groupBy: [{ columnName: "g", tableType: "event", ...more }] });
const percentile = (analysisParams: string) =>
  measured({ analysis: "PERCENTILE", quota: "n", analysisParams });
const texts = (count: number) => Array.from({ length: count }, (_, at) => `v${at}`);

/** Returns an object nested to this depth. */
function nested(depth: number): object {
  const filts = depth === 1 ? [] : [nested(depth - 1)];
  return { filterType: "COMPOUND", relation: "and", filts };
}

/** Returns the JSON with a word instead of the text `"@"`, for words that no value produces. */
const spliced = (body: object, word: string): string => JSON.stringify(body).replace('"@"', word);
const brackets = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;

const filter = "eventView.filts[0]";
const custom = "events[0].customEvent";
const known = "valid are ";
const date = "must be an existing time";
const re2 = "must be a regular expression in RE2 syntax";

/** A body, the field that the refusal names, and a part of what it says of it. */
export const refusals: readonly (readonly [field: string, says: string, body: unknown])[] = [
  ["body", "a list is not an object", []],
  ["body", "5 is not an object", 5],
  ["body", "not JSON", "{"],
  ["body", "not JSON", "\ufeff\ufeff{}"],
  ["projectId", "is required", "\ufeff{}"],
  ["body", "not JSON", spliced({ ...plain, zoneOffset: "@" }, "NaN")],
  ["body", "nested deeper than 256 levels", `{"projectId":1,"y":1e400,"x":${brackets}}`],
  ["eventView", "is required", `{"projectId":1,"y":1e400,"x":${"[".repeat(2_000)}${"]".repeat(2_000)}}`],
  ["events", "is required", {}],
  ["projectId", "is required", null],
  ["projectId", "an object is not the id of a project", { ...plain, projectId: {} }],
  ["projectId", "1e400 is not the id", spliced({ ...plain, projectId: "@" }, "1e400")],
  ["projectId", '"1 OR 1=1" is not the id', { ...plain, projectId: "1 OR 1=1" }],
  ["events", "an object is not a list", { ...plain, events: {} }],
  ["events[0]", "null is not an object", { ...plain, events: [null] }],
  ["events", "must have at least one metric", { ...plain, events: [] }],
  ["events", "has 3000 metrics, at most 100", { ...plain, events: Array(3_000).fill(metric) }],
  ["eventView", '"x" is not an object', { ...plain, eventView: "x" }],
  [
    "eventView.timeParticleSize",
    `"fortnight" is unknown, ${known}"minute"`,
    viewed({ timeParticleSize: "fortnight" }),
  ],
  ["eventView.timeParticleSize", 'is required, one of "minute"', viewed({ timeParticleSize: undefined })],
  [
    "eventView.timeParticleSize",
    "at most 20000",
    viewed({ startTime: "2016-01-01", timeParticleSize: "minute" }),
  ],
  ["eventView.timeParticleSize", "at most 20000", viewed({ endTime: "9999-12-31" })],
  ["eventView.startTime", `"2026-02-30" ${date}`, viewed({ startTime: "2026-02-30" })],
  ["eventView.startTime", `"2025-02-29 00:00:00" ${date}`, viewed({ startTime: "2025-02-29 00:00:00" })],
  ["eventView.startTime", date, viewed({ startTime: "2026-01-01T00:00:00Z" })],
  ["eventView.endTime", date, viewed({ endTime: "2026-01-02 24:00:00" })],
  ["eventView.endTime", "must not be before eventView.startTime", viewed({ startTime: "2026-02-01" })],
  ["eventView.recentDay", '"7" must be "a-b"', viewed({ recentDay: "7" })],
  ["eventView.recentDay", "numbers are at most 36500", viewed({ recentDay: `0-${"9".repeat(30)}` })],
  ["eventView.comparedStartTime", "is required", viewed({ comparedByTime: true })],
  ["eventView.comparedRecentDay", '"x" must be', viewed({ comparedByTime: true, comparedRecentDay: "x" })],
  ["zoneOffset", "25 must be a number of hours from -12 to 14", { ...plain, zoneOffset: 25 }],
  ["zoneOffset", '"east" is not a number of hours from -12 to 14', { ...plain, zoneOffset: "east" }],
  ["zoneOffset", "1e400 is not a number", spliced({ ...plain, zoneOffset: "@" }, "1e400")],
  ["limit", "0 must be a whole number from 1 to 10000", { ...plain, limit: 0 }],
  ["limit", "10001 must be", { ...plain, limit: 10_001 }],
  ["limit", "1e+300 is not a whole number", { ...plain, limit: 1e300 }],
  ["timeoutSeconds", "-1 is not valid, valid is 1 to 3600", { ...plain, timeoutSeconds: -1 }],
  ["useCache", '"yes" is not true or false', { ...plain, useCache: "yes" }],
  ["events[0].analysis", `"COUNT" is unknown, ${known}"TOTAL_TIMES"`, measured({ analysis: "COUNT" })],
  ["events[0].analysis", '"__proto__" is unknown', measured({ analysis: "__proto__" })],
  ["events[0].analysis", '"toString" is unknown', measured({ analysis: "toString" })],
  ["events[0].type", `"weird" is unknown, ${known}"normal", "customized"`, measured({ type: "weird" })],
  ["events[0].quota", "is required by SUM", measured({ analysis: "SUM" })],
  ["events[0].quota", '"g" is a text column', measured({ analysis: "SUM", quota: "g" })],
  ["events[0].analysisParams", '"0" must be a number from 1 to 100', percentile("0")],
  ["events[0].analysisParams", '"NaN" must be', percentile("NaN")],
  ["events[0].analysisParams", '"1e400" must be', percentile("1e400")],
  ["events[0].analysisParams", '"0x10" must be', percentile("0x10")],
  [`${filter}.comparator`, `"contain" is unknown, ${known}"equal"`, filtered({ comparator: "contain" })],
  [
    `${filter}.tableType`,
    `"events" is unknown, the nearest is "event", valid are "event"`,
    filtered({ tableType: "events" }),
  ],
  [`${filter}.columnName`, "is required", filtered({ columnName: "" })],
  [
    `${filter}.ftv`,
    "must have 2 literals with range, not 1",
    filtered({ columnName: "n", comparator: "range", ftv: ["1"] }),
  ],
  [`${filter}.ftv`, "must have 1 to 10000 literals with equal, not 0", filtered({ ftv: [] })],
  [
    `${filter}.ftv`,
    "must have 1 to 10000 literals with equal, not 100000",
    filtered({ ftv: texts(100_000) }),
  ],
  [`${filter}.ftv`, '"a" is not a list', filtered({ ftv: "a" })],
  [`${filter}.ftv[0]`, "an object is not a text", filtered({ ftv: [{}] })],
  [
    `${filter}.ftv[0]`,
    "1e400 is beyond the largest number",
    spliced(filtered({ columnName: "n", ftv: ["@"] }), "1e400"),
  ],
  ...["NaN", "Infinity", "1e400", "0x3", " ", "", "１"].map(
    (text) => [`${filter}.ftv[0]`, `${JSON.stringify(text)} must be a finite number`, number(text)] as const,
  ),
  [
    `${filter}.ftv[0]`,
    '"0" must be a whole number',
    filtered({ columnName: "l", comparator: "arrayItemPos", ftv: ["0", "a"] }),
  ],
  ...["(", "(a)\\1", "(?=a)", "a{1001}", "\\C", "\\p{Foo}", "[z-a]"].map(
    (text) => [`${filter}.ftv[0]`, re2, pattern(text)] as const,
  ),
  [`${filter}.ftv[0]`, "is too large", pattern("((a{0,1000}){0,1000}){0,1000}")],
  [`${filter}.ftv[0]`, "1000", pattern("a".repeat(1_001))],
  [`${filter}${".filts[0]".repeat(9)}`, "is nested deeper than 10 levels", viewed({ filts: [nested(60)] })],
  [
    `${filter}${".filts[0]".repeat(98)}`,
    "is nested deeper than 100 levels",
    viewed({ filts: [nested(110)] }),
  ],
  ["body", "nested deeper than 256 levels", viewed({ filts: [nested(2_000)] })],
  [custom, "lacks a number or an operand at its end", formula("1/")],
  [custom, 'lacks an operator before "("', formula("process.exit(1)")],
  [custom, "parentheses more than 50 deep", formula("(".repeat(5_000))],
  [custom, "a number that is too large", formula("1e400")],
  [custom, "at most 10000 characters", formula(`1${"+1".repeat(5_000)}`)],
  [custom, '"nope" is not a metric of the project', formula("$metric.nope")],
  [custom, 'ends in the unknown analysis "toString", valid are', formula("play.toString")],
  [custom, "is required for a formula", formula("")],
  [custom, "must have a name before, between and after its dots", formula("play..TOTAL_TIMES")],
  [
    "eventView.groupBy",
    "has 130 properties, at most 100",
    viewed({ groupBy: Array(130).fill({ columnName: "g", tableType: "event" }) }),
  ],
  [
    "eventView.groupBy[0].propertyRange",
    '"5,1" must be ascending numbers',
    grouped({ columnName: "n", propertyRange: "5,1" }),
  ],
  [
    "eventView.groupBy[0].propertyRange",
    '"NaN,1e400" must be',
    grouped({ columnName: "n", propertyRange: "NaN,1e400" }),
  ],
  [
    "eventView.groupBy[0].propertyRange",
    "at most 500",
    grouped({ columnName: "n", propertyRange: Array.from(Array(5_000).keys()).join() }),
  ],
  [
    "eventView.groupBy[0].specifiedClusterDate",
    '"2026-02-30" must be an existing day',
    grouped({ tableType: "cluster", specifiedClusterDate: "2026-02-30" }),
  ],
  [
    "eventView.eventSplit.groupByProp",
    "is required",
    viewed({ eventSplit: { event: { eventName: "play" } } }),
  ],
  [
    "events[0].quotaTimeRanges[0].index",
    "7 is not an operand",
    measured({ quotaTimeRanges: [{ index: 7, type: "THIS_WEEK" }] }),
  ],
  [
    "events[0].quotaTimeRanges[0].params",
    '"x" must be 1 whole number',
    measured({ quotaTimeRanges: [{ index: 0, type: "LAST_DAYS", params: ["x"] }] }),
  ],
  ["events[0].customFilters[0].index", "-1 is not an operand", measured({ customFilters: [{ index: -1 }] })],
];

export const sql = `x'); DROP TABLE "e1_20454_0"; --`;
export const invisible = "\u0000nul\u202e\u200b";
/** Bodies that look bad and are good, with the number of events that each finds on the first day. */
export const harmless: readonly (readonly [name: string, events: string, body: object])[] = [
  ["digits in texts", "4", { ...plain, limit: "10", timeoutSeconds: "60", zoneOffset: "0" }],
  ["SQL as a value", "1", filtered({ ftv: [sql, "' OR '1'='1"] })],
  ["SQL as a part of a value", "1", filtered({ comparator: "include", ftv: ["'); DROP"] })],
  ["a wildcard of SQL", "0", filtered({ comparator: "include", ftv: ["%"] })],
  ["SQL as the name of a column", "0", filtered({ columnName: sql })],
  ["a quoted name", "0", filtered({ columnName: 'g" OR 1=1 --' })],
  ["SQL as an event", "0", measured({ eventName: sql })],
  ["SQL as a group", "4", grouped({ columnName: sql })],
  ["a name that objects have", "4", grouped({ columnName: "__proto__" })],
  ["a pattern that is slow elsewhere", "2", pattern("^(a+)+$")],
  ["another one", "0", pattern("(x*)*y$")],
  ["a value with invisible characters", "1", filtered({ ftv: [invisible] })],
  ["an event's name with an invisible character", "0", measured({ eventName: "play\u200b" })],
  ["a letter that looks the same", "0", filtered({ columnName: "\uff47" })],
  ["half of a pair", "0", filtered({ ftv: ["\ud83d"] })],
  [
    "10,000 literals",
    "2",
    filtered({ ftv: [...texts(9_998), "a", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"] }),
  ],
  ["a literal of 2 MB", "0", filtered({ ftv: ["x".repeat(2_000_000)] })],
  ["a name of 100,000 characters", "4", grouped({ columnName: "x".repeat(100_000) })],
];
