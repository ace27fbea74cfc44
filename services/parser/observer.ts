import type { FailureReason } from "./line/line.ts";

/** Receives the counts of the parser; called once for each batch and label, never for each line. */
export interface ParserObserver {
  /** Lines of this format, parsed or refused. */
  items(format: string, count: number): void;
  records(count: number): void;
  failed(reason: FailureReason, count: number): void;
  /** Separators inside data. */
  collisions(count: number): void;
  /** Dead letters that exceed the limit of their batch. */
  deadLettersDropped(count: number): void;
  batch(where: "inline" | "worker", bytes: number): void;
  workerCrashed(): void;
  /** Calls refused because the workers are busy. */
  refused(): void;
}
