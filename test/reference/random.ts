/** Seeded choices; the same seed makes the same choices for ever. */
export interface Random {
  /** Returns a number in [0, 1). */
  next(): number;
  /** Whole, both ends included. */
  int(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
  /** Some of them, in their order. */
  some<T>(from: readonly T[], most: number): T[];
  /** Small numbers far more often than large ones. */
  few(least: number, most: number): number;
}

/** Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  const pick = <T>(from: readonly T[]): T => from[int(0, from.length - 1)]!;
  return {
    next,
    int,
    pick,
    chance: (probability) => next() < probability,
    some(from, most) {
      const wanted = new Set(Array.from({ length: int(1, most) }, () => int(0, from.length - 1)));
      return from.filter((_, at) => wanted.has(at));
    },
    few: (least, most) => least + Math.floor(next() ** 2.5 * (most - least + 1)),
  };
}
