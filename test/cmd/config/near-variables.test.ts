import { expect, test } from "vitest";
import { linesOf, loadText, problemsOf } from "./load.ts";

test.each([
  ["ENGAGE_PORT", "8080", 'sets nothing, set ENGAGE_LISTEN to host and port, for example "127.0.0.1:8080"'],
  ["engage_listen", "127.0.0.1:1", "sets nothing: names are in capitals, such as ENGAGE_LISTEN"],
  ["Engage_Data", "x", "sets nothing: names are in capitals, such as ENGAGE_DATA"],
  ["ENGAGE_DATA_DIR", "x", "sets nothing, the nearest is ENGAGE_DATA"],
  ["ENGAGE_DRAIN_MS", "5s", 'drainMs: must be a number of milliseconds, got "5s"'],
])("%s=%s", (name, value, message) => {
  expect(linesOf(problemsOf("", { [name]: value }))).toEqual([`environment ${name}: ${message}`]);
});

test("the links of containers are no settings", () => {
  const env = { ENGAGE_PORT: "tcp://10.0.0.1:8080", ENGAGE_SERVICE_PORT: "8080" };
  expect(loadText("", env).config.listen.port).toBe(8080);
});
