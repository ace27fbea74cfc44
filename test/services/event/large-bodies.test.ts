import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import {
  DebugIngestRequestSchema,
  type DebugIngestResponse,
  IngestRequestSchema,
  type IngestResponse,
} from "../../../gen/engage/event/v1/ingest_pb.ts";
import { RecordType, RefusalReason } from "../../../gen/engage/event/v1/record_pb.ts";
import { TrackRequestSchema } from "../../../gen/engage/event/v1/track_pb.ts";
import { debugIngest, ingest } from "../../../services/event/ingest/ingest.ts";
import { createPendingChecks } from "../../../services/event/pending.ts";
import { createProjectDirectory } from "../../../services/event/projects.ts";
import { trackBatch } from "../../../services/event/track/track.ts";
import { emptySchema } from "../../../store/events/events.ts";
import { nowMs } from "./record/checking.ts";

const limits = { maxEventNames: 5_000, maxNewNamesPerMinute: 250 };
const options = {
  directory: createProjectDirectory([{ id: 1, appids: ["app"], zone: "+00:00" }], 512, limits),
  append: async () => {},
  schema: () => emptySchema,
  pending: () => undefined,
  now: () => nowMs,
  checks: createPendingChecks({ pending: () => undefined, schema: () => emptySchema }),
  deadLetters: { append: () => {} },
  observer: { accepted: () => {}, refused: () => {}, dropped: () => {}, rejected: () => {} },
  maxInflatedBytes: 16 * 2 ** 20,
};
const context = { requestHeader: new Headers({ appid: "app" }) };
const bodyOf = (text: string) => ({ data: new Uint8Array(Buffer.from(text)), contentType: "" });
const send = (text: string): Promise<IngestResponse> =>
  ingest(options, create(IngestRequestSchema, { body: bodyOf(text) }), context);
const debug = (text: string): Promise<DebugIngestResponse> =>
  debugIngest(options, create(DebugIngestRequestSchema, { body: bodyOf(text) }), context);

const record = (properties: string): string =>
  `{"#type":"track","#event_name":"e","#account_id":"a","#time":"2026-01-02 03:04:05","properties":${properties}}`;
/** Returns a text of about 8 MiB. */
const fill = (piece: string): string => piece.repeat(Math.floor((8 * 2 ** 20) / piece.length));
const keys = (count: number, prefix = "N"): string =>
  `{${Array.from({ length: count }, (_, i) => `"${prefix}${i}":1`).join(",")}}`;
const many = "Data format error, 50001 records, at most 50000 are valid";
const large = /record is too large, /;

/** Bodies that take seconds, each in its own way, when they are parsed or checked whole. */
const shapes: readonly (readonly [string, string, string | RegExp])[] = [
  ["lists in a list", `[${fill("[],")}[]]`, many],
  ["what is no JSON", `[${fill("NaN,")}1]`, many],
  ["a list in a record", record(`{"l":[${fill("1,")}1]}`), large],
  ["empty lists beside a long number", record(`{"n":1234567890123456,"l":[${fill("[],")}[]]}`), large],
  ["long numbers", record(`{"l":[${fill("12345678901234567890,")}1]}`), large],
  ["properties", record(keys(500_000)), large],
  ["members of a record", keys(500_000), large],
  ["objects", record(`{"g":[${fill('{"a":1},')}{}]}`), large],
  ["lists within lists", record(`{"l":${"[".repeat(2 ** 20)}${"]".repeat(2 ** 20)}}`), large],
];

describe("bodies of millions of", () => {
  it.each(shapes)("%s are refused", async (_name, text, message) => {
    expect((await send(text)).msg).toMatch(message);
  });

  it.each(shapes.filter(([, text]) => !text.includes("[[[[")))(
    "%s are refused when they are looked at closely",
    async (_name, text, message) => {
      expect((await debug(text)).errorReasons).toEqual([expect.stringMatching(message)]);
    },
  );

  it("digits are a number beyond all bounds", async () => {
    const { errorProperties } = await debug(record(`{"n":${"9".repeat(4 * 2 ** 20)}}`));
    expect(errorProperties).toMatchObject([{ name: "n" }]);
  });

  it("properties in records of a thousand are answered by what is dropped first", async () => {
    const text = `[${Array.from({ length: 1_000 }, () => record(keys(999))).join(",")}]`;
    const { errorProperties } = await debug(text);
    expect(errorProperties.length).toBeLessThan(22_000);
    expect(errorProperties[0]).toMatchObject({ name: "N249", reason: expect.any(Number) });
  });

  it("one large record leaves the others of a list", async () => {
    const answer = await send(`[${record("{}")},${record(keys(20_000))},${record("{}")}]`);
    expect(answer).toMatchObject({ code: 0, records: [{ index: 1 }] });
  });

  it("properties of a typed record are refused as well", async () => {
    const properties = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`n${i}`, 1]));
    const request = create(TrackRequestSchema, {
      project: { case: "appid", value: "app" },
      records: [{ type: RecordType.USER_SET, accountId: "a", properties }],
    });
    const { results } = await trackBatch(options, request, "track");
    expect(results[0]?.outcome).toMatchObject({
      value: { reason: RefusalReason.TOO_LARGE, message: expect.stringMatching(large) },
    });
  });

  it("members of one line leave the other lines", async () => {
    const jsonLines = Buffer.from([record("{}"), record(keys(20_000)), record("{}")].join("\n"));
    const request = create(TrackRequestSchema, { project: { case: "appid", value: "app" }, jsonLines });
    const { accepted, refused } = await trackBatch(options, request, "track");
    expect([accepted, refused]).toEqual([2, 1]);
  });
});
