import { expect, it } from "vitest";
import { compileMask } from "../../../base/text/mask-secrets.ts";

const odd = 'a "b"/c+d';

it.each([
  [["abcdef"], "abcdef and abcdef", "*** and ***"],
  [["Bearer abcdef"], "Bearer abcdef, abcdef, Bearer", "***, ***, Bearer"],
  [["abcdef", "abcdefgh"], "abcdefgh", "***"],
  [["Bearer abcdef", "abcdefgh"], "abcdefgh", "***"],
  [["engage push service"], "engage push service unavailable, service", "*** unavailable, service"],
  [["", "a", "abcde"], "a text with abcde", "a text with abcde"],
  [[odd], odd, "***"],
  [[odd], JSON.stringify(odd), '"***"'],
  [[odd], `/?a=${encodeURIComponent(odd)}`, "/?a=***"],
  [[odd], `/?a=${encodeURIComponent(odd).toLowerCase()}`, "/?a=***"],
  [[odd], `/?${new URLSearchParams({ a: odd })}`, "/?a=***"],
  [["secret\ud800"], "a secret\ud800", "a ***"],
])("masks %j in %j", (secrets, text, expected) => {
  expect(compileMask(secrets)(text)).toBe(expected);
});
