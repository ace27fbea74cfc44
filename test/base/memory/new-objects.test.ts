import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";

const module = new URL("../../../base/memory/new-objects.ts", import.meta.url).href;

const script = `
  import { setImmediate } from "node:timers/promises";
  import { allocateObjectsYoung } from "${module}";
  const isYoung = new Function("object", "return %InYoungGeneration(object)");
  /** Makes objects that live long, and returns after how many rounds a new one is in the old generation. */
  async function roundsUntilOld(maxRounds) {
    const make = new Function("at", "return { at, list: [at] }");
    for (let round = 1; round <= maxRounds; round++) {
      const kept = [];
      for (let at = 0; at < 20_000; at++) kept.push(make(at));
      await setImmediate();
      if (!isYoung(make(0))) return round;
    }
    return null;
  }
  const byDefault = await roundsUntilOld(1_000);
  allocateObjectsYoung();
  console.log(JSON.stringify({ byDefault, young: await roundsUntilOld(5 * byDefault) }));`;

it("lets objects of places whose objects lived long be allocated in the young generation", () => {
  const flags = ["--allow-natives-syntax", "--max-semi-space-size=1", "--input-type=module"];
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, "-e", script], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual({ byDefault: expect.any(Number), young: null });
});
