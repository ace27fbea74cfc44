import { create, fromJson, type JsonValue, type MessageInitShape } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  DownloadEventsRequestSchema,
  DownloadEventsResponseSchema,
  DownloadEventUsersRequestSchema,
  DownloadEventUsersResponseSchema,
} from "../../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { ValueFormat } from "../../../../gen/engage/analysis/v1/event_metric_pb.ts";
import { createAnalysisCodecs } from "../../../../services/analysis/rest/rest.ts";

const codecs = createAnalysisCodecs({ percentAs: "fraction" });
const eventsCodec = codecs.get(DownloadEventsResponseSchema.typeName);
const usersCodec = codecs.get(DownloadEventUsersResponseSchema.typeName);
const label = (text: string) => ({ value: { case: "label" as const, value: text } });
const none = { value: { case: "nullValue" as const, value: 0 } };

type EventsContent = NonNullable<MessageInitShape<typeof DownloadEventsResponseSchema>["content"]>;
type UsersContent = NonNullable<MessageInitShape<typeof DownloadEventUsersResponseSchema>["content"]>;

const unattached = { index: 0, attachment: undefined };

function eventsFile(header: string, ...contents: EventsContent[]): Buffer {
  const request = create(DownloadEventsRequestSchema, { header });
  const pieces = contents.map((content) =>
    Buffer.from(
      eventsCodec?.encode?.(create(DownloadEventsResponseSchema, { content }), {
        request,
        ...unattached,
      }) as string,
    ),
  );
  return Buffer.concat(pieces);
}

function usersFile(...contents: UsersContent[]): string {
  const request = create(DownloadEventUsersRequestSchema);
  return contents
    .map((content) =>
      usersCodec?.encode?.(create(DownloadEventUsersResponseSchema, { content }), {
        request,
        ...unattached,
      }),
    )
    .join("");
}

const eventsHeader = {
  case: "header" as const,
  value: {
    groupColumns: [{ name: "#city", displayName: "City" }, { name: "level" }],
    x: [{ label: "2026-08-23" }, { label: "2026-08-24" }],
    xCompared: [{ label: "2026-08-23" }],
  },
};

const rows = {
  case: "rows" as const,
  value: {
    resultKey: "pay.SUM",
    displayName: "Sum, paid",
    format: ValueFormat.UNSPECIFIED,
    entries: [
      {
        groupCols: [label('Köln "am\nRhein"'), label("=1+1")],
        values: { numbers: [-3, Number.NaN] },
        valuesCompared: { numbers: [1.005] },
      },
      { groupCols: [none, label("-3")], values: { numbers: [0, 1e6] }, valuesCompared: { numbers: [2] } },
    ],
  },
};

describe("a downloaded result", () => {
  test("is text of the type that the platform sends", () => {
    expect([eventsCodec?.contentType, usersCodec?.contentType]).toEqual(
      Array(2).fill("text/csv; charset=utf-8"),
    );
  });

  test("every field is quoted, lines end with LF", () => {
    expect(eventsFile("", eventsHeader, rows).toString()).toBe(
      `"Metric","City","level","2026-08-23","2026-08-24","2026-08-23 (compared)"
"Sum, paid","Köln ""am
Rhein""","'=1+1","-3","-","1.01"
"Sum, paid","(null)","-3","0","1000000","2"
`,
    );
  });

  test("stable names, and a byte order mark", () => {
    const csv = { stableNames: true, byteOrderMark: true };
    const header = { ...eventsHeader, value: { ...eventsHeader.value, csv } };
    const bytes = eventsFile("names", header, rows);
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const [first, second] = parse(bytes, { bom: true }) as string[][];
    expect(first).toEqual(["metric", "#city", "level", "2026-08-23", "2026-08-24", "compared.2026-08-23"]);
    expect(second?.[0]).toBe("pay.SUM");
  });

  test("bytes of a platform are sent as they are", () => {
    const value = Buffer.from("anything");
    expect(eventsFile("", { case: "raw", value }).toString()).toBe("anything");
    expect(usersFile({ case: "raw", value })).toBe("anything");
  });
});

describe("a downloaded user list", () => {
  const row = (...values: JsonValue[]) => ({ values: values.map((value) => fromJson(ValueSchema, value)) });

  test("numbers keep their minus, texts that a spreadsheet would run do not stay formulas", () => {
    const file = usersFile(
      { case: "header", value: { columns: [{ name: "#user_id", displayName: "User id" }, { name: "@x" }] } },
      {
        case: "rows",
        value: {
          rows: [
            row("1", -3),
            row("@SUM(A1)", "-3.50"),
            row(null, "+49 30 1234"),
            row(true, [1, "a"]),
            row("\tx", { a: 'b"' }),
            row("－1+2", 1e21),
          ],
        },
      },
    );
    expect(parse(file)).toEqual([
      ["User id", "'@x"],
      ["1", "-3"],
      ["'@SUM(A1)", "-3.50"],
      ["", "'+49 30 1234"],
      ["true", '[1,"a"]'],
      ["'\tx", '{"a":"b\\""}'],
      ["'－1+2", "1e+21"],
    ]);
  });

  test("what is written is read back", () => {
    const text = fc.string({ unit: "binary" }).filter((one) => !/^[=+\-@\t\r\n＝＋－＠]/.test(one));
    const table = fc.array(fc.array(text, { minLength: 2, maxLength: 2 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(table, (cells) => {
        const file = usersFile({ case: "rows", value: { rows: cells.map((values) => row(...values)) } });
        expect(parse(file, { record_delimiter: "\n" })).toEqual(cells);
      }),
    );
  });
});
