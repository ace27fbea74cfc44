import type { Alert } from "./alert.ts";

const failed = "sum by (job) (rate(engage_parser_failed_items_total[15m]))";
const all = "sum by (job) (rate(engage_parser_items_total[15m]))";

export const parserAlerts: readonly Alert[] = [
  {
    name: "EngageLinesFail",
    severity: "warning",
    lasts: "15m",
    expression: `${failed} / (${all} + ${failed}) > 0.01`,
    meaning: "More than 1 % of the lines have no record.",
    actions:
      "`engage dead-letters reasons parser` counts the lines by reason, and `engage dead-letters list parser` shows them. The console's page of the parser explains what a format does with one. After a change of the format, `engage dead-letters replay parser` parses them again.",
  },
  {
    name: "EngageSeparatorInData",
    severity: "warning",
    lasts: "0m",
    expression: "increase(engage_parser_separator_collisions_total[15m]) > 0",
    meaning: "The separator of records occurs in data.",
    actions:
      "Lines or records are split where they do not end. Choose another `parser.separator`, `parser.indexSeparator` or `parser.recordSeparator`, on both sides, that no data contains.",
  },
  {
    name: "EngageParserWorkerCrashed",
    severity: "warning",
    lasts: "0m",
    expression: "increase(engage_parser_worker_crashes_total[1h]) > 0",
    meaning: "A worker thread of the parser ended unexpectedly.",
    actions:
      "Calls on it have failed and can be repeated; a new thread has started. The log has the error. Where it is a lack of memory, lower the limit of `proto.Parser/Parse` in `limits.methods`, or `parser.workers`.",
  },
  {
    name: "EngageParserRefusesCalls",
    severity: "warning",
    lasts: "5m",
    expression: "rate(engage_parser_refused_calls_total[5m]) > 0",
    meaning: "Calls of the parser are refused, since its workers cannot keep up.",
    actions:
      "Raise `parser.workers` where processors are idle; otherwise add replicas, or send less at once.",
  },
  {
    name: "EngageParserDeadLettersLost",
    severity: "critical",
    lasts: "0m",
    expression: "increase(engage_parser_dead_letters_dropped_total[1h]) > 0",
    meaning: "Lines without a record are lost, since there is no space to keep them.",
    actions:
      "Free the disk of the data folder, or raise the bounds of `parser.deadLetters`. The callers have the lines; the log says how many are lost.",
  },
  {
    name: "EngageParserDeadLettersFail",
    severity: "critical",
    lasts: "1m",
    expression: "engage_parser_dead_letters_failing == 1",
    meaning: "Lines without a record cannot be kept.",
    actions: "See the disk of the data folder and the log. The next line that is kept ends the alert.",
  },
];
