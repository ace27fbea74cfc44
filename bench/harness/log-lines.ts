/** Returns `count` different JSON lines of a game log, 250 bytes each on average. */
export function jsonLines(count: number): string[] {
  return Array.from({ length: count }, (_, i) =>
    JSON.stringify({
      ACCOUNTID: `player-${100_000 + i}`,
      OSTYPE: `device-${(i * 7919) % 100_000}`,
      IP: `203.0.113.${i % 256}`,
      UID: `7c9c2b1e-0d5a-4d0b-9f3e-${String(i).padStart(12, "0")}`,
      LOGTM: `2023-09-04 16:${two(Math.floor(i / 60) % 60)}:${two(i % 60)}`,
      CODE: 1001 + (i % 7),
      SERVER: `s-${i % 40}`,
      LEVEL: i % 90,
      AMOUNT: (i % 1000) / 4,
      ITEMS: [i % 11, i % 13],
      CHANNEL: "organic",
      FIRST: i % 3 === 0,
    }),
  );
}

/** The default INDEX of a line in these benchmarks. */
export const gameIndex = "game.log";

/** Returns a content in the framing `items` with the separators of the benchmarks' configurations. */
export function itemsOf(lines: readonly string[], index = gameIndex): string {
  return lines.map((line) => `${index}|ta|${line}`).join(":ta:");
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
