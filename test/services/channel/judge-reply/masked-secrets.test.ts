import { expect, test } from "vitest";
import { compileMask } from "../../../../base/text/mask-secrets.ts";
import type { ExchangeOutcome } from "../../../../services/channel/exchange/exchange.ts";
import { judgeOutcome } from "../../../../services/channel/judge-reply/judge-reply.ts";

function answer(text: string, status = 200, more: object = {}): ExchangeOutcome {
  return { kind: "response", status, headers: {}, text, isTruncated: false, ...more };
}

const secret = `sk-${"0123456789".repeat(20)}`;
const mask = compileMask([secret, "12345678"]);
const title = `<title>${"x".repeat(80)} ${secret}</title>`;
const listed = { return_code: 0, data: { fail_list: [{ index: 1, message: secret }, { index: secret }] } };
const table: [what: string, outcome: ExchangeOutcome, expected: RegExp][] = [
  ["a title", answer(`<html>${title}`), /title .{2}x{80} \*{3}/],
  ["a title of an error", answer(`<html>${title}`, 403), /title .{2}x{80} \*{3}/],
  ["a title far in a page", answer(`<html>${" ".repeat(1_900)}${title}`, 403), /title .{2}x{80} \*{3}/],
  ["a redirect", answer("", 302, { headers: { location: `/${secret}` } }), /to \/\*{3}"/],
  ["a return_code", answer(JSON.stringify({ return_code: secret })), /return_code \\"\*{3}/],
  ["a number", answer('{"return_code":12345678}'), /return_code \*{3}/],
  ["a message", answer(JSON.stringify({ return_code: 1, return_message: secret })), /: \*{3}"/],
  ["no object", answer(JSON.stringify(secret)), /found \\"\*{3}/],
  ["an element", answer(JSON.stringify(listed)), /"message":"\*{3}".*found \\"\*{3}/],
  ["a reason without a response", { kind: "connection", message: secret }, /"message":"\*{3}"/],
  ["an encoding", answer("", 200, { bodyFault: secret }), /"message":"\*{3}"/],
];

test.each(table)("secrets are masked before they are shortened in %s", (_what, outcome, expected) => {
  const verdict = JSON.stringify(judgeOutcome(outcome, 5, "lenient", mask));
  expect(verdict).toMatch(expected);
  expect(verdict).not.toContain("sk-");
});
