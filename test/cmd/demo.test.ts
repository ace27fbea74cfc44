import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { runDemo } from "../../cmd/demo.ts";
import { folderWith } from "./config/load.ts";
import { runEngage } from "./run-engage.ts";

// What a reader is promised, in the order in which it is shown.
const shown = [
  "A server of its own on http://127.0.0.1:",
  "1. proto.Parser/Parse over gRPC",
  '"#event_name":"event_1001"',
  "not json\n     → {}\n",
  '"#event_name":"heart"',
  "2. The same over HTTP/1.1 and JSON",
  "\n   200 {",
  '"rewards":[{"count":77,',
  "3. engage.parser.v1.ParserStream/ParseLines",
  '"#event_name":"http_request"',
  "→ no_match: ",
  'GET /healthz  200 {"status":"ok"}',
  'engage_parser_failed_items_total{reason="invalid_json"} 1',
  '"reason":"invalid_json"',
  '"line":"not json"',
  "Stopped.",
];

test("it calls a server of its own and shows what comes back", async () => {
  const stdout = new PassThrough();
  const output = text(stdout);
  await runDemo({ env: {}, cwd: folderWith({}) }, stdout);
  stdout.end();
  const all = await output;
  const places = shown.map((part) => all.indexOf(part));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});

test("the program ends by itself and leaves nothing but its output behind", async () => {
  const { code, stdout, stderr } = await runEngage(["demo"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("Stopped.");
});
