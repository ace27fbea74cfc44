import { Counter, Gauge, type Registry } from "prom-client";
import { failureReasons } from "../../../services/parser/line/line.ts";
import type { ParserObserver } from "../../../services/parser/observer.ts";
import type { DeadLetterObserver } from "../../../store/deadletters/deadletters.ts";
import { createSums, type Sums } from "./sums.ts";

export interface ParserMetrics {
  readonly parser: ParserObserver;
  readonly deadLetters: DeadLetterObserver;
}

/** Registers what the parser and its dead letters count. Labels come from closed lists and the configuration. */
export function createParserMetrics(registry: Registry): ParserMetrics {
  const counter = (name: string, help: string): Counter =>
    new Counter({ name: `engage_parser_${name}`, help, registers: [registry] });

  const sums = (name: string, help: string, ...labels: readonly string[]): Sums =>
    createSums(registry, { name: `engage_parser_${name}`, help, labels });

  const items = sums("items_total", "Lines that reached a format, parsed or refused by it", "format");
  const records = sums("records_total", "Records answered");
  const failed = sums("failed_items_total", "Lines without a record", "reason");
  const collisions = counter("separator_collisions_total", "Separators found inside data");
  const batches = sums("batches_total", "Calls by where they were parsed", "where");
  const batchBytes = sums("batch_bytes_total", "Bytes of content by where they were parsed", "where");
  const crashes = counter("worker_crashes_total", "Worker threads that ended by themselves");
  const refused = counter("refused_calls_total", "Calls sent away because too many were waiting for workers");
  const written = counter("dead_letters_written_total", "Dead letters kept");
  const dropped = counter("dead_letters_dropped_total", "Dead letters lost for want of room");
  const failing = new Gauge({
    name: "engage_parser_dead_letters_failing",
    help: "1 while dead letters can't be written",
    registers: [registry],
  });
  // A series that starts at its first failure hides that failure from rate().
  for (const reason of failureReasons) failed.add(0, reason);

  return {
    parser: {
      items: (format, count) => items.add(count, format),
      records: (count) => records.add(count),
      failed: (reason, count) => failed.add(count, reason),
      collisions: (count) => collisions.inc(count),
      lettersDropped: (count) => dropped.inc(count),
      batch(where, bytes) {
        batches.add(1, where);
        batchBytes.add(bytes, where);
      },
      workerCrashed: () => crashes.inc(),
      refused: () => refused.inc(),
    },
    deadLetters: {
      written: (count) => written.inc(count),
      dropped: (count) => dropped.inc(count),
      failed: () => failing.set(1),
      resumed: () => failing.set(0),
    },
  };
}
