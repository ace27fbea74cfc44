import { expect, test } from "vitest";
import { signBody } from "../../base/net/signature.ts";
import { createRecorder } from "../../docs/generate/api-examples/recorder.ts";
import { createStabilizer } from "../../docs/generate/api-examples/stable.ts";

const url = "http://127.0.0.1:40123";
const startedMs = Date.parse("2026-11-29T18:00:00Z");
const stabilize = createStabilizer({ url, startedMs, secret: "s" });
const ids = ["a8098c1a-f86e-41da-bd1a-00112444be1e", "7c9e6679-7425-40de-944b-e07fc1f90ae7"];

test.each([
  ["an address", `${url}/webhook/demo`, "http://127.0.0.1:8080/webhook/demo"],
  ["a time of the run", { at: "2026-11-29T18:00:07.123Z" }, { at: "2026-03-05T12:00:00Z" }],
  ["a time an hour later", "2026-11-29T19:00:02Z", "2026-03-05T13:00:00Z"],
  ["another time", "2026-03-04T09:00:00Z", "2026-03-04T09:00:00Z"],
  ["a batch id in a delivery id", "0mx25thgz00000002.1.consumer", "0mmdeydc000000002.1.consumer"],
  [
    "a duration",
    { duration: "0.317s", text: "HTTP 200 after 17 ms" },
    { duration: "0.002s", text: "HTTP 200 after 2 ms" },
  ],
  [
    "lines of JSON",
    { type: "application/x-ndjson", value: '{"durationMs":1}\n{"durationMs":7}\n' },
    { type: "application/x-ndjson", value: '{"durationMs":2}\n{"durationMs":2}\n' },
  ],
  [
    "bytes of a body",
    { contentType: "text/plain", data: Buffer.from(`at ${url}`).toString("base64") },
    { contentType: "text/plain", data: Buffer.from("at http://127.0.0.1:8080").toString("base64") },
  ],
])("%s has the same form in every run", (_what, value, stable) => expect(stabilize(value)).toEqual(stable));

test("the same id stays the same, and different ones differ", () => {
  const [first, second, again] = stabilize([...ids, ids[0]!]) as string[];
  expect(first).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect([again, second === first]).toEqual([first, false]);
});

test("a body whose ids are replaced is signed again", () => {
  const { requestBody, requestHeaders, signature } = stabilize({
    requestBody: `["${ids[0]}"]`,
    requestHeaders: { "content-type": "application/json", "X-SVC-OPS-Signature": "0" },
    signature: "0",
  }) as { requestBody: string; requestHeaders: object; signature: string };
  expect(requestBody).not.toContain(ids[0]);
  expect(signature).toBe(signBody("s", Buffer.from(requestBody)));
  expect(requestHeaders).toEqual({ "content-type": "application/json", "X-SVC-OPS-Signature": signature });
});

test("the first call of an operation is its example, with its error", () => {
  const recorder = createRecorder();
  const json = (value: string) => ({ type: "application/json", value });
  recorder.add("GET /a", { response: json("first") });
  recorder.add("GET /a", { response: json("second") });
  recorder.addError("GET /a", json("no"));
  expect(recorder.examples().operations).toEqual({
    "GET /a": { response: json("first"), error: json("no") },
  });
  recorder.addError("GET /b", json("no"));
  expect(() => recorder.examples()).toThrow("GET /b: only an error is called");
});
