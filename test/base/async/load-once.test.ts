import { describe, expect, it } from "vitest";
import { loadOnce } from "../../../base/async/load-once.ts";

describe("loadOnce", () => {
  it("loads once for calls at the same time and later", async () => {
    let loads = 0;
    const load = loadOnce(async () => ++loads);
    expect(await Promise.all([load(), load()])).toEqual([1, 1]);
    expect(await load()).toBe(1);
  });

  it("tries again after a failure, which all that waited for it see", async () => {
    let loads = 0;
    const outcomes = [() => Promise.reject(new Error("not yet")), async () => "loaded"];
    const load = loadOnce(() => outcomes[loads++]!());
    expect(await Promise.allSettled([load(), load()])).toMatchObject([
      { status: "rejected" },
      { status: "rejected" },
    ]);
    expect(await load()).toBe("loaded");
  });
});
