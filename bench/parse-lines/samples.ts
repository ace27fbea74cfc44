import { jsonLines } from "../harness/log-lines.ts";

export interface Sample {
  /** The name in the table. */
  readonly format: string;
  readonly index: string;
  readonly lines: readonly string[];
}

const count = 1_000;
const counted = (line: (i: number) => string): string[] => Array.from({ length: count }, (_, i) => line(i));
const two = (value: number): string => String(value).padStart(2, "0");
const clock = (i: number): string => `16:${two(Math.floor(i / 60) % 60)}:${two(i % 60)}`;

/** The one that has a bar. */
export const json: Sample = { format: "json, 6 entries", index: "game.log", lines: jsonLines(count) };

export const others: readonly Sample[] = [
  { format: "json, typed time", index: "game-time.log", lines: json.lines },
  { format: "pass_through", index: "pass.log", lines: json.lines },
  {
    format: "delimited, 8 columns",
    index: "heart.log",
    lines: counted((i) =>
      [`2023-02-08 ${clock(i)}`, "appkey1", "1.00.63", "heart", "B8320", 7000 + i, i % 500, i % 20].join(
        "\t",
      ),
    ),
  },
  {
    format: "access_log, combined",
    index: "access.log",
    lines: counted(
      (i) =>
        `203.0.113.${i % 256} - - [08/Feb/2023:${clock(i)} +0800] "GET /items/${i}?page=2 HTTP/1.1" 200 ${900 + i} "https://example.com/start" "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/115.0"`,
    ),
  },
  {
    format: "regex, 3 groups",
    index: "dpkg.log",
    lines: counted((i) => `2024-01-10 ${clock(i)} install package-${i}:amd64 <none> 590-${i % 9}`),
  },
  {
    format: "logfmt, 6 pairs",
    index: "logfmt.log",
    lines: counted(
      (i) => `ts=2024-01-10T${clock(i)}Z level=info msg="order paid" user=u${i} amount=${i / 4} region=eu-1`,
    ),
  },
  {
    format: "syslog, RFC 5424",
    index: "syslog",
    lines: counted(
      (i) =>
        `<34>1 2023-10-11T${clock(i)}.003Z host-${i % 9} app ${100 + i} ID47 - session ${i} opened for user u${i}`,
    ),
  },
];
