import { describe, expect, it } from "vitest";
import { appendToBoth, clickSink, parsedRecordsSink } from "../../../services/bridges/event-sinks.ts";

const record = Buffer.from("{}");

/** Notes which project each record goes to. */
function recordingSink() {
  const stored: number[] = [];
  const sinkOf = (projectId: number) => ({ append: async () => void stored.push(projectId) });
  return { stored, sinkOf };
}

describe("parsed records", () => {
  it("are stored as events of the configured project", async () => {
    const { stored, sinkOf } = recordingSink();
    await parsedRecordsSink({ project: 7 }, sinkOf)?.(record);
    expect(stored).toEqual([7]);
  });

  it("are not stored without a project", () => {
    expect(parsedRecordsSink(undefined, recordingSink().sinkOf)).toBeUndefined();
  });
});

describe("clicks", () => {
  const shop = { id: 1, appids: ["shop", "app"] };
  const game = { id: 2, appids: ["game"] };

  it.each([
    ["the project with their appid", { appid: "game" }, [shop, game], [2]],
    ["the only project", {}, [shop], [1]],
    ["no project, where there are several", {}, [shop, game], []],
    ["no project, where none has their appid", { appid: "x" }, [shop], []],
    ["no project, where they are forwarded", { appid: "shop", forward: {} }, [shop], []],
    ["no project, where there is none", {}, [], []],
  ])("are events of %s", async (_what, routing, projects, expected) => {
    const { stored, sinkOf } = recordingSink();
    await clickSink(routing, projects, sinkOf)?.(record);
    expect(stored).toEqual(expected);
  });

  it("are appended to the spool before the events", async () => {
    const order: string[] = [];
    const append = appendToBoth(
      async () => void order.push("spool"),
      async () => void order.push("events"),
    );
    await append(record);
    expect(order).toEqual(["spool", "events"]);
  });

  it("do not reach the events when the spool fails", async () => {
    const order: string[] = [];
    const append = appendToBoth(
      () => Promise.reject(new Error("disk full")),
      async () => void order.push("events"),
    );
    await expect(append(record)).rejects.toThrow("disk full");
    expect(order).toEqual([]);
  });
});
