import { create, toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  type DownloadEventsResponse,
  DownloadEventUsersResponseSchema,
} from "../../../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { ValueFormat } from "../../../../../gen/engage/analysis/v1/event_metric_pb.ts";
import { EventDownloadQuerySchema } from "../../../../../gen/engage/analysis/v1/query_pb.ts";
import { answerChunks, answerText, answerUnmarked } from "../fake-platform.ts";
import { collect, downloadQuery, restCall, run, userDownloadQuery } from "../platform-engine.ts";
import { engine, NORMAL, platform, signal, TOTAL_TIMES, typed, useFakeEngine } from "./fake-engine.ts";

useFakeEngine();

describe("downloads", () => {
  const rowOf = (entry: {
    groupCols: readonly { value: { value?: unknown } }[];
    values?: unknown;
    valuesCompared?: unknown;
  }) => [
    entry.groupCols.map(({ value }) => value.value),
    ...[entry.values, entry.valuesCompared]
      .filter(Boolean)
      .map((series) => (series as { numbers: number[] }).numbers),
  ];
  const indexes = (pieces: readonly DownloadEventsResponse[]) =>
    pieces
      .map(({ content }) => content)
      .filter((content) => content.case === "rows")
      .map(({ value }) => [value.eventIndex, value.resultKey, value.entries.map(rowOf)]);
  const load = async (csv: string, asked = downloadQuery) => {
    platform.behave(answerText(200, "text/csv", csv));
    return collect(engine.download(asked, typed));
  };

  test("of events become a header and entries", async () => {
    const pieces = await load(
      '\ufeff"Metric","Version","2026-08-23","2026-08-24"\n"Installs","1.0","7","-"\r\n"Installs","(null)","1,000","0"\n',
    );
    expect(pieces[0]?.content).toMatchObject({
      case: "header",
      value: {
        groupColumns: [{ name: "version", displayName: "Version" }],
        x: [{ label: "2026-08-23" }, { label: "2026-08-24" }],
        xCompared: [],
      },
    });
    expect(indexes(pieces)).toEqual([
      [
        0,
        "Installs",
        [
          [["1.0"], [7, Number.NaN]],
          [[0], [1_000, 0]],
        ],
      ],
    ]);
  });

  test.each([
    [
      "the metric after the groups",
      "Version,Metric,2026-08\n1.0,Installs,7\n",
      [0, "Installs", [[["1.0"], [7]]]],
    ],
    [
      "no column for the only metric",
      "Version,2026-08\n1.0,7\n",
      [0, "install.TRIG_USER_NUM", [[["1.0"], [7]]]],
    ],
    ["one total", "Metric,Version,Total\nInstalls,1.0,7\n", [0, "Installs", [[["1.0"], [7]]]]],
    ["a name that is unknown", "Metric,Version,2026-08\n安装,1.0,7\n", [0, "安装", [[["1.0"], [7]]]]],
  ])("with %s", async (_name, csv, expected) => {
    expect(indexes(await load(csv))).toEqual([expected]);
  });

  test("with the header only", async () => {
    expect(await load("Metric,Version,2026-08\n")).toMatchObject([{ content: { case: "header" } }]);
  });

  test("with several metrics, and a comparison", async () => {
    const asked = create(EventDownloadQuerySchema, {
      eventView: { comparedByTime: true },
      events: [
        { type: NORMAL, eventName: "a", analysis: TOTAL_TIMES },
        { type: NORMAL, eventName: "b", analysis: TOTAL_TIMES, format: ValueFormat.PERCENT },
      ],
    });
    const pieces = await load(
      "Metric,2026-08,2026-07 (compared)\nb.TOTAL_TIMES,5%,-\na.TOTAL_TIMES,1,2\n",
      asked,
    );
    expect(pieces[0]?.content.value).toMatchObject({
      x: [{ label: "2026-08" }],
      xCompared: [{ label: "2026-07 (compared)" }],
    });
    expect(indexes(pieces)).toEqual([
      [1, "b.TOTAL_TIMES", [[[], [0.05], [Number.NaN]]]],
      [0, "a.TOTAL_TIMES", [[[], [1], [2]]]],
    ]);
  });

  test("of many rows come in messages of 500 entries", async () => {
    const rows = Array.from({ length: 1_200 }, (_, i) => `Installs,${i},1\n`).join("");
    const pieces = await load(`Metric,Version,2026-08-23\n${rows}`);
    const sizes = pieces.map(({ content }) => (content.case === "rows" ? content.value.entries.length : 0));
    expect(sizes).toEqual([0, 500, 500, 200]);
  });

  test("of users give each value as text, and an empty value as null", async () => {
    platform.behave(answerText(200, "application/octet-stream", 'Account,VIP\n"a,""b",007\n,\n'));
    const pieces = await collect(engine.downloadUsers(userDownloadQuery, typed));
    expect(pieces.map((piece) => toJson(DownloadEventUsersResponseSchema, piece))).toEqual([
      {
        header: {
          columns: [
            { name: "#account_id", displayName: "Account" },
            { name: "vip", displayName: "VIP" },
          ],
          info: { zone: { offset_hours: 8 } },
        },
      },
      { rows: { rows: [{ values: ['a,"b', "007"] }, { values: [null, null] }] } },
    ]);
  });

  test.each([
    ["a brace", '{"name"},2026\nx,1\n'],
    ["nothing but a space", " \n"],
    ["a smaller sign", "<name>,2026\n"],
  ])("that begin with %s reach REST callers untouched", async (_name, csv) => {
    platform.behave(answerChunks("text/csv", [csv]));
    const pieces = await collect(engine.download(downloadQuery, { signal, rest: restCall }));
    const raw = pieces.map(({ content }) => content.value as Uint8Array);
    expect(Buffer.concat(raw).toString()).toBe(csv);
  });

  test("without a marked end pass when the configuration says so", async () => {
    platform.behave(answerUnmarked("text/csv", "a,b\n"));
    expect(await run(engine, "download", "rest")).toHaveLength(1);
  });
});
