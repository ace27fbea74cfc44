import type { JsonObject } from "@bufbuild/protobuf";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { describeApi } from "../../../cmd/serve/api-description.ts";
import { serve } from "../../../gateway/methods.ts";
import { AnalysisProxy } from "../../../gen/engage/analysis/v1/analysis_proxy_pb.ts";
import { EventCollector } from "../../../gen/engage/event/v1/event_collector_pb.ts";
import { WebhookReceiver } from "../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { Health } from "../../../gen/grpc/health/v1/health_pb.ts";

const returnCodes = { codeOf: () => -1, successCode: 0 } as never;
const services = [
  serve(AnalysisProxy, {}, { returnCodes }),
  serve(WebhookReceiver, {}),
  serve(EventCollector, {}, { returnCodes }),
  serve(Health, {}),
];

test("operations say how their callers authenticate themselves", async () => {
  const document = await describeApi(services, new Map());
  expect((await new Validator().validate(structuredClone(document))).valid).toBe(true);
  const paths = document["paths"] as Record<string, Record<string, JsonObject>>;
  const securityOf = (path: string, method = "post") => paths[path]![method]!["security"];
  expect({
    query: securityOf("/open/event-analyze"),
    "query over Connect": securityOf("/engage.analysis.v1.AnalysisProxy/AnalyzeEvents"),
    webhook: securityOf("/webhook/{channel}"),
    deliveries: securityOf("/v1/webhook/deliveries", "get"),
    "SDK of an application": securityOf("/config", "get"),
    health: securityOf("/grpc.health.v1.Health/Check"),
  }).toEqual({
    query: [{ queryToken: [] }, { key: [] }],
    "query over Connect": [{ key: [] }],
    webhook: [{ signature: [] }],
    deliveries: [{ key: [] }],
    "SDK of an application": [],
    health: [],
  });
  const { securitySchemes } = document["components"] as JsonObject;
  expect(Object.keys(securitySchemes as JsonObject)).toEqual(["key", "queryToken", "signature"]);
});
