import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";

const module = new URL("../../../base/memory/optimized-code.ts", import.meta.url).href;

/** Prints whether V8 optimizes a function that runs often, and whether its flags are the default ones in the end. */
const script = `
  import v8 from "node:v8";
  import { optimizeCode, withoutOptimizing } from "${module}";
  const byDefault = v8.cachedDataVersionTag();
  const isOptimized = new Function("f", "return (%GetOptimizationStatus(f) & 32) !== 0");
  function optimizes() {
    const add = new Function("a", "b", "return a + b");
    for (let at = 0; at < 300_000; at++) add(at, 1);
    return isOptimized(add);
  }
  for (const flag of withoutOptimizing) v8.setFlagsFromString(flag);
  const stopped = optimizes();
  optimizeCode();
  const isDefault = v8.cachedDataVersionTag() === byDefault;
  console.log(JSON.stringify({ stopped, again: optimizes(), isDefault }));`;

it("stops optimizing code, and begins again by the default flags", () => {
  const flags = ["--allow-natives-syntax", "--no-concurrent-recompilation", "--input-type=module"];
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, "-e", script], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual({ stopped: false, again: true, isDefault: true });
});
