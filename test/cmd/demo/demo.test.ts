import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { runDemo } from "../../../cmd/demo/demo.ts";
import { folderWith } from "../config/load.ts";
import { runEngage } from "../run-engage.ts";

// The texts of the demo's parts, in their order.
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
  "4. POST /webhook/demo",
  '→ 200 {"return_code":0,"return_message":"success","data":{"fail_list":[{"index":3,"message":"push_id is required"}]}}',
  "Handle is called with 2 messages, attempt 1",
  "ann, title Hi Ann: done",
  "closed, title Hi there: dead",
  "the same bytes, 0 calls of the handler",
  "handler: 2 accepted = 1 delivered + 1 dead + 0 pending",
  ".1.handler for closed: the account is closed",
  "POST /v1/webhook/clicks",
  '"#event_name":"ops_push_click","#account_id":"ann"',
  '"#ops_receipt_properties":{"ops_project_id":1,"ops_task_id":"0050","ops_request_id":"demo-batch-1","weight":1.0}}}',
  "5. Events: POST /sync_server",
  '→ {"code":0}',
  "1 accepted, 1 refused",
  '#event_name "log in" is not valid',
  "POST /open/event-analyze",
  '"values":["3","5","4","8","7","11","9"]',
  " 11 ┤",
  "── login.TRIG_USER_NUM",
  "AnalysisProxy/ListEventUsers over gRPC",
  'user-1 {"city":"Köln"}',
  "user-3 {}",
  "6. ChannelSender",
  "POST /v1/channels, to the receiver of part 4",
  '"authentication":{"secret":"","secretIsSet":true',
  '→ {"users":"10","reachable":"9","warnings":[],"samplePushIds":[]}',
  '→ {"taskId":"t1","state":"TASK_STATE_DRAFT"}',
  "done: 9 sent in 2 batches",
  "10 planned = 1 without a push id + 9 sent",
  "9 sent = 8 succeeded + 1 rejected",
  'batch 1, element 4, "User 12": push_id does not match the pattern of the channel',
  "user-4, title Level 4, well done!: done",
  "7 messages are reported as push_handled, 3 of them as clicked",
  "GetTask with its funnel",
  "sent            9  ███",
  "succeeded       8  ███",
  "push_handled    7  ███",
  "click           3  ███",
  "conversion      2  ███",
  'GET /healthz  200 {"status":"ok"}',
  'engage_events_loaded_records_total{kind="user"} 14',
  'engage_parser_failed_items_total{reason="invalid_json"} 1',
  'engage_webhook_batches_total{channel="demo",outcome="repeated"} 1',
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
  // Either of the two batches may be delivered first.
  expect(all).toContain("user-11, title Level 11, well done!: dead");
  expect(shown.filter((part) => !all.includes(part))).toEqual([]);
  const places = shown.map((part) => all.indexOf(part));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});

test("the program ends by itself and leaves nothing but its output", async () => {
  const { code, stdout, stderr } = await runEngage(["demo"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("Stopped.");
});
