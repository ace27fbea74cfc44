import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Runs benchmarks by the name of their folder: `npm run bench -- parse-echo`, or all of them. */
const names = readdirSync(import.meta.dirname).filter((name) =>
  existsSync(join(import.meta.dirname, name, "run.ts")),
);
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => name !== "all" && !names.includes(name));
if (asked.length === 0 || unknown.length > 0) {
  console.error(`usage: npm run bench -- NAME…, where NAME is one of ${[...names, "all"].join(", ")}`);
  process.exit(2);
}
if (!existsSync(join(import.meta.dirname, "node_modules"))) {
  console.error("the peers are not installed: npm ci --prefix bench");
  process.exit(1);
}
for (const name of asked.includes("all") ? names : asked) {
  console.log(`# ${name}`);
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, name, "run.ts")], {
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
}
