import { expect, test } from "vitest";
import { createOutbound } from "../../../../base/net/outbound.ts";
import { findRefusedAddress } from "../../../../cmd/serve/channel/refused-address.ts";

const outbound = createOutbound({
  allow: ["127.0.0.1:9000"],
  setting: "channel.outbound.allow",
  resolveAll: (host, _options, callback) =>
    host === "gone.test"
      ? callback(Object.assign(new Error("not found"), { code: "ENOTFOUND" }), [])
      : callback(null, [{ address: host === "inside.test" ? "10.0.0.7" : "192.0.43.8", family: 4 }]),
});

test.each([
  ["http://127.0.0.1:9000/a", undefined],
  ["http://127.0.0.1:9001/a", 'address 127.0.0.1 is not public, add "127.0.0.1:9001" or a network to'],
  ["http://[::1]/a", 'address ::1 is not public, add "[::1]:80" or a network to'],
  ["https://10.0.0.7/a", 'address 10.0.0.7 is not public, add "10.0.0.7:443" or a network to'],
  [
    "https://inside.test/a",
    'inside.test is at 10.0.0.7, which is not public, add "inside.test:443" or a network to',
  ],
  ["https://outside.test/a", undefined],
  ["https://gone.test/a", undefined],
])("%s", async (url, reason) => {
  const found = await findRefusedAddress(outbound, url, new AbortController().signal);
  expect(found).toBe(reason === undefined ? undefined : `${reason} channel.outbound.allow`);
});
