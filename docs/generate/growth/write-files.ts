import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readGrowth } from "./figures.ts";
import { writeGrowth } from "./growth.ts";

/** Writes the page and the charts of the figures, and deletes other charts. */
export function writeGrowthFiles(): void {
  const docs = join(import.meta.dirname, "../..");
  const files = writeGrowth(readGrowth());
  const charts = join(docs, "performance");
  for (const name of readdirSync(charts)) if (name.endsWith(".svg")) rmSync(join(charts, name));
  for (const [name, text] of files) writeFileSync(join(docs, name), text);
}
