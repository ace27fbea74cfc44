import { expect, it } from "vitest";
import { formatLocalTime } from "../../../base/time/local-time.ts";
import { endOfWritten, parseWrittenTime } from "../../../services/analysis/local-time.ts";

it.each([
  ["2016-12-31 23:59:60", "2016-12-31 23:59:59.999", "2017-01-01 00:00:00.000"],
  ["2016-12-31 23:59:60.500", "2016-12-31 23:59:59.999", "2017-01-01 00:00:00.000"],
  ["2015-07-01 07:59:60", "2015-07-01 07:59:59.999", "2015-07-01 08:00:00.000"],
  ["2016-12-31 23:59:59", "2016-12-31 23:59:59.000", "2017-01-01 00:00:00.000"],
])("%s is %s and ends before %s", (text, start, end) => {
  const time = parseWrittenTime(text)!;
  expect([time.localMs, endOfWritten(time)].map(formatLocalTime)).toEqual([start, end]);
});

it.each(["2016-12-31 23:59:61", "2016-12-31 23:60:60", "2016-02-30 23:59:60", "2016-12-31 24:00:60"])(
  "%s does not exist",
  (text) => {
    expect(parseWrittenTime(text)).toBeUndefined();
  },
);
