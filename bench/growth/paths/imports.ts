import type { GrowthPath } from "../measure.ts";
import { eventLine, importFiles, writeLines } from "../project.ts";

const days = 30;
const users = 50_000;

function lineOf(at: number): string {
  const properties = {
    city: `city_${at % 40}`,
    server: `server_${at % 1_000}`,
    level: at % 60,
    price: at / 4,
  };
  return eventLine(at % users, at % days, properties);
}

const lines: GrowthPath = {
  name: "import-lines",
  sizes: [1_000, 10_000, 100_000, 1_000_000],
  rounds: 3,
  isCold: true,
  async open(sizes) {
    const points = sizes.map((work) => {
      const file = writeLines(work, lineOf);
      return { work, measure: () => importFiles([file]) };
    });
    return { points, async [Symbol.asyncDispose]() {} };
  },
};

export const importPaths: readonly GrowthPath[] = [lines];
