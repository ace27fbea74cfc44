import { describe, expect, it } from "vitest";
import {
  type DeadLetter,
  type DeadLetterBatch,
  type DeadLetterObserver,
  type DeadLetters,
  encodeDeadLetter,
} from "../../store/deadletters/deadletters.ts";

/** One driver, opened on an empty store, and a way to read what it keeps. */
export interface DeadLettersUnderTest {
  readonly letters: DeadLetters;
  read(): Promise<Record<string, unknown>[]>;
}

export interface Tallies extends DeadLetterObserver {
  readonly counts: { written: number; dropped: number; failed: number; resumed: number };
}

export function createTallies(): Tallies {
  const counts = { written: 0, dropped: 0, failed: 0, resumed: 0 };
  return {
    counts,
    written: (count) => {
      counts.written += count;
    },
    dropped: (count) => {
      counts.dropped += count;
    },
    failed: () => {
      counts.failed++;
    },
    resumed: () => {
      counts.resumed++;
    },
  };
}

export function letter(changes: Partial<DeadLetter> = {}): DeadLetter {
  return {
    time: new Date(0),
    source: "test",
    index: "a.log",
    format: "game",
    reason: "invalid_json",
    message: "no JSON",
    line: "x",
    ...changes,
  };
}

export function batch(...letters: DeadLetter[]): DeadLetterBatch {
  const text = letters.map((one) => encodeDeadLetter(one)).join("");
  return { count: letters.length, ndjson: Buffer.from(text) };
}

/** Tests that every store of dead letters must pass. */
export function describeDeadLetters(
  open: (observer: DeadLetterObserver) => Promise<DeadLettersUnderTest>,
): void {
  describe("a store of dead letters", () => {
    it("keeps dead letters in their order", async () => {
      const tallies = createTallies();
      const { letters, read } = await open(tallies);
      const lines = Array.from({ length: 500 }, (_, n) => `line ${n} 战`);
      for (const line of lines) letters.append(batch(letter({ line }), letter({ line: `${line} again` })));
      await letters.flush();
      expect((await read()).map(({ line }) => line)).toEqual(
        lines.flatMap((line) => [line, `${line} again`]),
      );
      expect(tallies.counts).toEqual({ written: 1_000, dropped: 0, failed: 0, resumed: 0 });
      await letters[Symbol.asyncDispose]();
    });

    it("keeps all fields", async () => {
      const { letters, read } = await open(createTallies());
      letters.append(batch(letter(), letter({ index: undefined, format: undefined, line: Buffer.of(0xff) })));
      await letters[Symbol.asyncDispose]();
      const common = {
        time: "1970-01-01T00:00:00.000Z",
        source: "test",
        reason: "invalid_json",
        message: "no JSON",
      };
      expect(await read()).toEqual([
        { ...common, index: "a.log", format: "game", line: "x" },
        { ...common, line_base64: "/w==" },
      ]);
    });

    it("writes waiting dead letters when it is closed, and drops later ones", async () => {
      const tallies = createTallies();
      const { letters, read } = await open(tallies);
      letters.append(batch(letter()));
      await letters[Symbol.asyncDispose]();
      letters.append(batch(letter(), letter()));
      await letters.flush();
      expect(await read()).toHaveLength(1);
      expect(tallies.counts).toMatchObject({ written: 1, dropped: 2 });
    });
  });
}
