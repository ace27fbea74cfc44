import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { AnalysisProxy } from "../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { ErrorStyle, gateway } from "../../gen/engage/gateway/v1/options_pb.ts";
import { WebhookReceiver } from "../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { http } from "../../gen/google/api/annotations_pb.ts";

const { ENVELOPE, RETURN_CODE } = ErrorStyle;
const { receive } = WebhookReceiver.method;
const { analyzeEvents, listEventUsers, downloadEvents, downloadEventUsers, forwardQuery } =
  AnalysisProxy.method;

describe("REST annotations", () => {
  const table: [
    method: DescMethod,
    path: string,
    body: string,
    kind: string,
    errors: ErrorStyle,
    raw: boolean,
  ][] = [
    [receive, "/webhook/{channel}", "messages", "unary", RETURN_CODE, true],
    [analyzeEvents, "/open/event-analyze", "query", "unary", ENVELOPE, false],
    [listEventUsers, "/open/event-user-list", "query", "unary", ENVELOPE, false],
    [downloadEvents, "/open/streaming-download/event-analyze", "query", "server_streaming", ENVELOPE, false],
    [
      downloadEventUsers,
      "/open/streaming-download/event-user-list",
      "query",
      "server_streaming",
      ENVELOPE,
      false,
    ],
    [forwardQuery, "/open/{path=**}", "body", "server_streaming", ENVELOPE, false],
  ];

  test.each(table)("%s", (method, path, body, kind, errorStyle, rawBody) => {
    const rule = getOption(method, http);
    expect(rule).toMatchObject({ pattern: { case: "post", value: path }, body });
    expect(method.methodKind).toBe(kind);
    expect(getOption(method, gateway)).toMatchObject({ errorStyle, rawBody, handlerAuthenticatesRest: true });
  });

  const { method: webhook } = WebhookReceiver;
  const operator: [method: DescMethod, verb: string, path: string, body: string][] = [
    [webhook.leaseMessages, "post", "/v1/webhook/messages:lease", "*"],
    [webhook.settleMessages, "post", "/v1/webhook/messages:settle", "*"],
    [webhook.listBatches, "get", "/v1/webhook/batches", ""],
    [webhook.getBatch, "get", "/v1/webhook/batches/{batch_id}", ""],
    [webhook.listRefusals, "get", "/v1/webhook/refusals", ""],
    [webhook.listDeliveries, "get", "/v1/webhook/deliveries", ""],
    [webhook.getDelivery, "get", "/v1/webhook/deliveries/{delivery_id}", ""],
    [webhook.listDeadLetters, "get", "/v1/webhook/dead-letters", ""],
    [webhook.replayDeadLetters, "post", "/v1/webhook/dead-letters:replay", "*"],
    [webhook.getStats, "get", "/v1/webhook/stats", ""],
    [webhook.reportClick, "post", "/v1/webhook/clicks", "*"],
  ];

  test.each(operator)("%s is for callers with a key", (method, verb, path, body) => {
    expect(getOption(method, http)).toMatchObject({ pattern: { case: verb, value: path }, body });
    expect(method.methodKind).toBe("unary");
    expect(getOption(method, gateway).handlerAuthenticatesRest).toBe(false);
  });

  test("WatchDeliveries is a stream for callers with a key", () => {
    const { watchDeliveries } = webhook;
    const value = "/v1/webhook/deliveries:watch";
    expect(getOption(watchDeliveries, http)).toMatchObject({ pattern: { case: "get", value } });
    expect(watchDeliveries.methodKind).toBe("server_streaming");
    expect(getOption(watchDeliveries, gateway).handlerAuthenticatesRest).toBe(false);
  });

  test("every method of the webhook is in one of the tables", () => {
    const listed = [receive, webhook.watchDeliveries, ...operator.map(([method]) => method)];
    expect(WebhookReceiver.methods.map(({ name }) => name).sort()).toEqual(
      listed.map(({ name }) => name).sort(),
    );
  });

  test("the body is a field, so that the token stays a query parameter", () => {
    const methods = [analyzeEvents, listEventUsers, downloadEvents, downloadEventUsers, forwardQuery];
    const names = methods.map((method) => method.input.fields.map((field) => field.name));
    expect(names).toEqual([
      ["token", "query"],
      ["token", "query"],
      ["token", "query", "header", "bom"],
      ["token", "query", "header", "bom"],
      ["token", "path", "parameters", "body"],
    ]);
  });
});
