import { Counter, Gauge, type Registry } from "prom-client";
import { registerComputed } from "../gateway/metrics/computed-metric.ts";
import { failureReasons } from "../services/parser/line.ts";
import type { ParserObserver } from "../services/parser/observer.ts";
import type { DeadLetterObserver } from "../store/deadletters/deadletters.ts";

export interface ParserMetrics {
  readonly parser: ParserObserver;
  readonly deadLetters: DeadLetterObserver;
}

/** Registers what the parser and its dead letters count. Labels come from closed lists and the configuration. */
export function createParserMetrics(registry: Registry): ParserMetrics {
  const counter = (name: string, help: string): Counter =>
    new Counter({ name: `engage_parser_${name}`, help, registers: [registry] });

  const items = sums(
    registry,
    "items_total",
    "Lines that reached a format, parsed or refused by it",
    "format",
  );
  const records = sums(registry, "records_total", "Records answered");
  const failed = sums(registry, "failed_items_total", "Lines without a record", "reason");
  const collisions = counter("separator_collisions_total", "Separators found inside data");
  const batches = sums(registry, "batches_total", "Calls by where they were parsed", "where");
  const batchBytes = sums(
    registry,
    "batch_bytes_total",
    "Bytes of content by where they were parsed",
    "where",
  );
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
  for (const reason of failureReasons) failed.add(reason, 0);

  return {
    parser: {
      items: (format, count) => items.add(format, count),
      records: (count) => records.add("", count),
      failed: (reason, count) => failed.add(reason, count),
      collisions: (count) => collisions.inc(count),
      lettersDropped: (count) => dropped.inc(count),
      batch(where, bytes) {
        batches.add(where, 1);
        batchBytes.add(where, bytes);
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

interface Sums {
  add(label: string, amount: number): void;
}

/**
 * A counter of what every call adds to: plain sums by the value of its label,
 * which prom-client sees at a scrape. Its own counters cost a small call some
 * percent. Without a label there is one sum, under the empty text.
 */
function sums(registry: Registry, name: string, help: string, labelName?: string): Sums {
  const byLabel = new Map<string, number>(labelName === undefined ? [["", 0]] : []);
  registerComputed(registry, {
    name: `engage_parser_${name}`,
    help,
    type: "counter",
    samples: () =>
      Array.from(byLabel, ([label, value]) => ({
        labels: labelName === undefined ? {} : { [labelName]: label },
        value,
      })),
  });
  return {
    add(label, amount) {
      byLabel.set(label, (byLabel.get(label) ?? 0) + amount);
    },
  };
}
