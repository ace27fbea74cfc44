import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { expect, test } from "vitest";
import { AgentTools } from "../../../../gen/engage/agent/v1/agent_tools_pb.ts";
import { openEventServer } from "../../event-server.ts";
import { dataFolder } from "../../webhook-server.ts";
import { openCollector, treeOf } from "./collector.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const callerSpan = "b7ad6b7169203331";
const tool = "engage.agent.v1.AgentTools/CallTool";
const list = "engage.analysis.v1.Catalog/ListEvents";
const patient = { timeout: 20_000, interval: 100 };

test("the calls of a tool are below its own, with and without a trace of its caller", async () => {
  await using collector = await openCollector();
  const server = await openEventServer(dataFolder(), {
    tracing: { endpoint: collector.endpoint, delayMs: 1 },
  });
  const transport = createConnectTransport({ baseUrl: server.url, httpVersion: "1.1" });
  const client = createClient(AgentTools, transport);
  const call = { name: "list_events", arguments: { project_id: 1 } };
  await client.callTool(call, { headers: { traceparent: `00-${traceId}-${callerSpan}-01` } });
  await client.callTool(call);
  await expect.poll(() => collector.named(tool).length, patient).toBe(2);
  await expect.poll(() => collector.named(list).length, patient).toBe(2);
  const own = collector.named(tool).find((span) => span.traceId !== traceId)!;
  const namesIn = (id: string) => collector.spans.filter((span) => span.traceId === id);
  expect(treeOf(namesIn(traceId), traceId, callerSpan)).toMatchObject([[tool, [list]]]);
  expect(treeOf(namesIn(own.traceId), own.traceId, "")).toMatchObject([[tool, [list]]]);
});
