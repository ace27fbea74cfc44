import { expect, it } from "vitest";
import { createFileHolds, type FileOwner } from "../../../base/files/file-holds.ts";

function ownerOf(name: string, trace: string[], isBroken = false): FileOwner {
  return {
    async hold() {
      if (isBroken) throw new Error(`${name} is broken`);
      trace.push(`hold ${name}`);
      return async () => void trace.push(`release ${name}`);
    },
  };
}

it("holds the files of all owners, and opens no other one meanwhile", async () => {
  const holds = createFileHolds();
  const trace: string[] = [];
  const gone = ownerOf("gone", trace);
  await Promise.all(
    [ownerOf("a", trace), ownerOf("b", trace), gone].map((one) => holds.own(async () => one)),
  );
  holds.disown(gone);
  const release = await holds.hold();
  const opening = holds.own(async () => {
    trace.push("open c");
    return ownerOf("c", trace);
  });
  await release();
  await opening;
  expect(trace.toSorted()).toEqual(["hold a", "hold b", "open c", "release a", "release b"]);
  expect(trace.slice(0, 2)).toEqual(["hold a", "hold b"]);
});

it("releases all when one cannot be held", async () => {
  const holds = createFileHolds();
  const trace: string[] = [];
  const broken = ownerOf("b", trace, true);
  await holds.own(async () => ownerOf("a", trace));
  await holds.own(async () => broken);
  await expect(holds.hold()).rejects.toThrow("b is broken");
  expect(trace).toEqual(["hold a", "release a"]);
  holds.disown(broken);
  await (await holds.hold())();
  expect(trace).toEqual(["hold a", "release a", "hold a", "release a"]);
});

it("does not own what cannot be opened", async () => {
  const holds = createFileHolds();
  await expect(holds.own(() => Promise.reject(new Error("no disk")))).rejects.toThrow("no disk");
  await (await holds.hold())();
});
