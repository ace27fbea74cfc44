import { expect, test } from "vitest";
import { formatJunit } from "../../../cmd/check/junit.ts";
import type { ProbeResult } from "../../../services/channel/check/check.ts";

const failure = { sent: 's"', answered: "a\u0000\u001b<&\ud800", rule: "r", change: "c'" };
const base = { title: "t", durationMs: 1_234 };
const results: readonly ProbeResult[] = [
  { ...base, id: "a", severity: "must", outcome: "passed", detail: "" },
  { ...base, id: "b", severity: "must", outcome: "failed", detail: "<why>", failure },
  { ...base, id: "c", severity: "should", outcome: "failed", detail: "so", failure },
  { ...base, id: "d", severity: "info", outcome: "failed", detail: "so", failure },
  { ...base, id: "e", severity: "info", outcome: "skipped", detail: "without b" },
];
const text = "sent: s&quot;\n\nanswered: a\ufffd\ufffd&lt;&amp;\ufffd\n\nspecified: r\n\nchange: c&apos;";

test("a case for each probe; only broken rules are failures", () => {
  const counts = 'tests="5" failures="1" errors="0" skipped="1" time="6.170"';
  expect(formatJunit("http://x/?a&b", results, false)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${counts}>
  <testsuite name="engage check http://x/?a&amp;b" ${counts}>
    <testcase classname="must" name="a: t" time="1.234"/>
    <testcase classname="must" name="b: t" time="1.234">
      <failure type="must" message="&lt;why&gt;">${text}</failure>
    </testcase>
    <testcase classname="should" name="c: t" time="1.234">
      <system-out>so\n\n${text}</system-out>
    </testcase>
    <testcase classname="info" name="d: t" time="1.234">
      <system-out>so\n\n${text}</system-out>
    </testcase>
    <testcase classname="info" name="e: t" time="1.234"><skipped message="without b"/></testcase>
  </testsuite>
</testsuites>
`);
});

test("strictly, what recommendations is a failure too", () => {
  expect(formatJunit("http://x/", results, true)).toContain('<failure type="should" message="so">');
});
