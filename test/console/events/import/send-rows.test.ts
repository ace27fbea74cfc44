import { create } from "@bufbuild/protobuf";
import { expect, test, vi } from "vitest";
import { guessMapping, type Mapping } from "../../../../console/src/pages/events/import/mapping.ts";
import { nothingYet, sendRows } from "../../../../console/src/pages/events/import/send-rows.ts";
import { RecordResultSchema } from "../../../../gen/engage/event/v1/record_pb.ts";
import { sample } from "./sample.ts";

test("rows are sent, and what is wrong with them is counted by reason", async () => {
  const accepted = create(RecordResultSchema, { outcome: { case: "accepted", value: {} } });
  const dropped = create(RecordResultSchema, {
    outcome: { case: "accepted", value: { dropped: [{ name: "n", message: "n is a text" }] } },
  });
  const refused = create(RecordResultSchema, {
    outcome: { case: "refused", value: { message: "bad name" } },
  });
  const send = vi.fn(async () => [accepted, dropped, refused]);
  const row = (number: number, time = "2026-01-31") => ({ number, cells: ["buy", "ann", time] });
  const options = {
    mapping: { ...guessMapping(sample), event: { kind: "column", index: 0 }, time: 2 } as Mapping,
    identity: "f",
    faultText: (fault: string, value: string) => `${fault} ${value}`,
    send,
  };
  const first = await sendRows(nothingYet, [row(1), row(2), row(3, "soon"), row(4)], options);
  expect(send).toHaveBeenCalledWith(
    [1, 2, 4].map((number) => expect.stringContaining(`"#uuid":"f-${number}"`)),
  );
  expect(first).toEqual({
    rows: 4,
    accepted: 2,
    refused: 2,
    findings: expect.arrayContaining([
      { kind: "refused", message: "noTime soon", firstRow: 3, count: 1 },
      { kind: "refused", message: "bad name", firstRow: 4, count: 1 },
      { kind: "dropped", message: "n is a text", firstRow: 2, count: 1 },
    ]),
    refusedRows: [row(3, "soon"), row(4)],
  });
  const second = await sendRows(first, [row(5, "soon"), row(6, "soon")], {
    ...options,
    send: async () => [],
  });
  expect(second).toMatchObject({ rows: 6, accepted: 2, refused: 4 });
  expect(second.findings[0]).toEqual({ kind: "refused", message: "noTime soon", firstRow: 3, count: 3 });
});
