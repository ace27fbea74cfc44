import { Registry } from "prom-client";
import { expect, it } from "vitest";
import { createParserMetrics } from "../../../../cmd/serve/metrics/parser.ts";
import { failureReasons } from "../../../../services/parser/line/line.ts";

it("counts what parser and dead letters report", async () => {
  const registry = new Registry();
  const { parser, deadLetters } = createParserMetrics(registry);
  parser.items("game", 10);
  parser.items("game", 5);
  parser.records(17);
  parser.failed("invalid_json", 2);
  parser.collisions(3);
  parser.batch("worker", 1_000);
  parser.workerCrashed();
  parser.refused();
  deadLetters.written(2);
  deadLetters.dropped(4);
  parser.deadLettersDropped(1);
  deadLetters.failed(new Error("disk full"));
  const lines = (await registry.metrics()).split("\n");
  expect(lines.filter((line) => /^engage\S* [1-9]/.test(line))).toEqual([
    'engage_parser_items_total{format="game"} 15',
    "engage_parser_records_total 17",
    'engage_parser_failed_items_total{reason="invalid_json"} 2',
    "engage_parser_separator_collisions_total 3",
    'engage_parser_batches_total{where="worker"} 1',
    'engage_parser_batch_bytes_total{where="worker"} 1000',
    "engage_parser_worker_crashes_total 1",
    "engage_parser_refused_calls_total 1",
    "engage_parser_dead_letters_written_total 2",
    "engage_parser_dead_letters_dropped_total 5",
    "engage_parser_dead_letters_failing 1",
  ]);
});

it("shows every reason from the start", async () => {
  const registry = new Registry();
  createParserMetrics(registry);
  const text = await registry.metrics();
  expect(failureReasons.filter((reason) => !text.includes(`{reason="${reason}"} 0`))).toEqual([]);
});

it("tells when dead letters are written again", async () => {
  const registry = new Registry();
  const { deadLetters } = createParserMetrics(registry);
  deadLetters.failed(new Error("disk full"));
  deadLetters.resumed();
  expect(await registry.metrics()).toContain("engage_parser_dead_letters_failing 0\n");
});
