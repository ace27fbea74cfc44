import { Gauge, type Registry } from "../../../base/metrics/prom-client.ts";
import { failureReasons } from "../../../services/parser/line/line.ts";
import type { ParserObserver } from "../../../services/parser/observer.ts";
import type { DeadLetterObserver } from "../../../store/deadletters/deadletters.ts";
import { counterFactory } from "./metrics.ts";

export interface ParserMetrics {
  readonly parser: ParserObserver;
  readonly deadLetters: DeadLetterObserver;
}

/**
 * Registers the metrics of the parser and its dead letters. The values of labels come from closed lists and the
 * configuration.
 */
export function createParserMetrics(registry: Registry): ParserMetrics {
  const counter = counterFactory(registry);
  const items = counter(
    "engage_parser_items_total",
    "Lines that reached a format, parsed or refused by it",
    "format",
  );
  const records = counter("engage_parser_records_total", "Records that were returned");
  const failed = counter("engage_parser_failed_items_total", "Lines without a record", "reason");
  const collisions = counter("engage_parser_separator_collisions_total", "Separators found inside data");
  const batches = counter("engage_parser_batches_total", "Calls by the thread that parsed them", "where");
  const batchBytes = counter(
    "engage_parser_batch_bytes_total",
    "Bytes of content by the thread that parsed them",
    "where",
  );
  const crashes = counter("engage_parser_worker_crashes_total", "Worker threads that ended unexpectedly");
  const refused = counter(
    "engage_parser_refused_calls_total",
    "Calls refused because too many were waiting for workers",
  );
  const written = counter("engage_parser_dead_letters_written_total", "Dead letters kept");
  const dropped = counter(
    "engage_parser_dead_letters_dropped_total",
    "Dead letters that were lost for lack of space",
  );
  const failing = new Gauge({
    name: "engage_parser_dead_letters_failing",
    help: "1 while dead letters cannot be written",
    registers: [registry],
  });
  // A series that starts at its first failure hides that failure from rate().
  for (const reason of failureReasons) failed.add(0, reason);

  return {
    parser: {
      items: (format, count) => items.add(count, format),
      records: (count) => records.add(count),
      failed: (reason, count) => failed.add(count, reason),
      collisions: (count) => collisions.add(count),
      deadLettersDropped: (count) => dropped.add(count),
      batch(where, bytes) {
        batches.add(1, where);
        batchBytes.add(bytes, where);
      },
      workerCrashed: () => crashes.add(1),
      refused: () => refused.add(1),
    },
    deadLetters: {
      written: (count) => written.add(count),
      dropped: (count) => dropped.add(count),
      failed: () => failing.set(1),
      resumed: () => failing.set(0),
    },
  };
}
