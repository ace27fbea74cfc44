import { AgentTools } from "../../../../gen/engage/agent/v1/agent_tools_pb.ts";
import {
  DeadLetterKind,
  DeadLetterOrder,
  DeadLetters,
} from "../../../../gen/engage/operations/v1/dead_letters_pb.ts";
import { Settings } from "../../../../gen/engage/operations/v1/settings_pb.ts";
import { StoredEvents } from "../../../../gen/engage/operations/v1/stored_events_pb.ts";
import { GRPCController } from "../../../../gen/plugin/grpc_controller_pb.ts";
import { textAt } from "../bodies.ts";
import { until, type World } from "../world.ts";

export async function playOperations(world: World): Promise<void> {
  await playDeadLetters(world);
  await playSettings(world);
  await playAgent(world);
  const { countEvents, deleteEvents } = StoredEvents.method;
  const selection = { projectId: 1n, events: ["login"], fromDay: "2026-03-01", toDay: "2026-03-02" };
  await world.calls.unary(countEvents, { selection });
  await world.calls.unary(deleteEvents, { selection, maxEvents: 10n });
  await world.calls.unary(GRPCController.method.shutdown, {});
}

async function playDeadLetters({ calls }: World): Promise<void> {
  const { method } = DeadLetters;
  const kind = DeadLetterKind.PARSER;
  const filter = { kind };
  await calls.unary(method.listKinds, {});
  await calls.unary(method.listReasons, { kind });
  const listed = await calls.unary(method.listDeadLetters, {
    filter,
    order: DeadLetterOrder.NEWEST,
    pageSize: 10,
  });
  await calls.unary(method.getDeadLetter, { deadLetterId: textAt(listed, "deadLetters", 0, "deadLetterId") });
  await calls.unary(method.countDeadLetters, { filter });
  await calls.serverStream(method.exportDeadLetters, { filter });
  await calls.unary(method.replayDeadLetters, {
    filter: { kind: DeadLetterKind.RECORD, reason: "event_name", projectId: 1n },
  });
}

async function playSettings({ calls, client }: World): Promise<void> {
  const { method } = Settings;
  await until("all records are loaded", async () => {
    return (await client(Settings).getHealth({})).eventLag?.approximateRecords === 0n;
  });
  await calls.unary(method.getConfiguration, { path: "listen" });
  await calls.unary(method.listKeys, {});
  await calls.unary(method.listTokens, {});
  await calls.unary(method.getHealth, {});
  await calls.unary(method.getVersion, {});
}

async function playAgent({ calls }: World): Promise<void> {
  const { listTools, callTool } = AgentTools.method;
  await calls.unary(listTools, {});
  await calls.unary(callTool, { name: "list_events", arguments: { project_id: 1 } });
}
