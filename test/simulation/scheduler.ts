import type { Random } from "../reference/random.ts";

/** Runs events one after the other in simulated time: nothing waits, and the same seed makes the same history. */
export class Scheduler {
  readonly random: Random;
  readonly #events: Event[] = [];
  readonly #note: ((line: string) => void) | undefined;
  #nowMs = 0;
  #count = 0;

  /** @param note receives each line of the history; undefined when it is not read */
  constructor(random: Random, note?: (line: string) => void) {
    this.random = random;
    this.#note = note;
  }

  /** Milliseconds since the history began. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** The number of events that have happened. */
  get steps(): number {
    return this.#count;
  }

  /** Adds a line to the history. */
  note(line: () => string): void {
    this.#note?.(`${this.#nowMs.toFixed(3).padStart(12)}  ${line()}`);
  }

  /** Calls a function after a time. The returned function cancels the call. */
  after(ms: number, call: () => void): () => void {
    const event: Event = {
      atMs: this.#nowMs + Math.max(0, ms),
      order: this.#count++,
      call,
      isCancelled: false,
    };
    push(this.#events, event);
    return () => {
      event.isCancelled = true;
    };
  }

  /** Runs events until a condition holds, or a time has come. */
  async run(untilMs: number, isDone: () => boolean = () => false): Promise<void> {
    // What was begun before the call adds its first events now.
    await new Promise(setImmediate);
    while (!isDone()) {
      const next = this.#events[0];
      if (next === undefined || next.atMs > untilMs) {
        this.#nowMs = Math.max(this.#nowMs, untilMs);
        return;
      }
      pop(this.#events);
      if (next.isCancelled) continue;
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.call();
      await followed();
    }
  }
}

/**
 * Resolves when all promises that are settled were followed to their ends: Node calls what waits for the next tick when
 * no callback of a promise is left. An iteration of the event loop takes ten times as long.
 */
function followed(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly call: () => void;
  isCancelled: boolean;
}

function isBefore(a: Event, b: Event): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

/** A binary heap, whose first element is the next event. */
function push(heap: Event[], event: Event): void {
  let at = heap.push(event) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!isBefore(event, heap[parent]!)) break;
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = event;
}

function pop(heap: Event[]): void {
  const last = heap.pop()!;
  if (heap.length === 0) return;
  let at = 0;
  for (;;) {
    const left = 2 * at + 1;
    const right = left + 1;
    if (left >= heap.length) break;
    const child = right < heap.length && isBefore(heap[right]!, heap[left]!) ? right : left;
    if (!isBefore(heap[child]!, last)) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = last;
}
