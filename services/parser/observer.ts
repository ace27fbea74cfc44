import type { FailureReason } from "./line/line.ts";

/** What the parser counts; called once for each batch and label, never for each line. */
export interface ParserObserver {
  /** Lines that reached this format, parsed or refused by it. */
  items(format: string, count: number): void;
  records(count: number): void;
  failed(reason: FailureReason, count: number): void;
  /** Separators found inside data. */
  collisions(count: number): void;
  /** Dead letters beyond what one batch may keep. */
  lettersDropped(count: number): void;
  batch(where: "inline" | "worker", bytes: number): void;
  workerCrashed(): void;
  /** Calls sent away because too much waits for the workers. */
  refused(): void;
}
