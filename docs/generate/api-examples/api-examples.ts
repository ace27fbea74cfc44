import type { JsonValue } from "@bufbuild/protobuf";
import type { ApiExamples } from "../../../gateway/openapi/examples.ts";
import { formatJson } from "../query-language/blocks.ts";
import type { Calls } from "./calls.ts";
import { createConnectCalls } from "./connect-calls.ts";
import { createRecorder, type Recorder } from "./recorder.ts";
import { createRestCalls } from "./rest-calls.ts";
import { playAnalysis } from "./scenes/analysis.ts";
import { playCatalog, playSavedQueries } from "./scenes/catalog.ts";
import { playChannels } from "./scenes/channels.ts";
import { playEvents, reportEvents } from "./scenes/events.ts";
import { playOperations } from "./scenes/operations.ts";
import { playParser } from "./scenes/parser.ts";
import { playWebhooks } from "./scenes/webhooks.ts";
import { secret, withServer } from "./server.ts";
import { createStabilizer } from "./stable.ts";
import { createWorld, type World } from "./world.ts";

/**
 * Writes the examples of the API: each operation of OpenAPI with a request and the response of a server. The same
 * scenes are played over REST and over Connect, on a server each.
 */
export async function writeApiExamples(): Promise<string> {
  const [rest, connect] = await Promise.all([
    record((url, recorder) => createRestCalls(url, recorder, createConnectCalls(url, createRecorder()))),
    record(createConnectCalls),
  ]);
  const operations = { ...rest.operations, ...connect.operations };
  const errors = { ...rest.errors, ...connect.errors };
  return `${formatJson({ operations, errors })}\n`;
}

function record(openCalls: (url: string, recorder: Recorder) => Calls): Promise<ApiExamples> {
  const startedMs = Date.now();
  return withServer(async (url) => {
    const recorder = createRecorder();
    await play(createWorld(url, openCalls(url, recorder)));
    const stabilize = createStabilizer({ url, startedMs, secret });
    return stabilize(recorder.examples() as unknown as JsonValue) as unknown as ApiExamples;
  });
}

/** Each scene finds what those before it left. */
async function play(world: World): Promise<void> {
  await reportEvents(world);
  await playAnalysis(world);
  await playCatalog(world);
  await playSavedQueries(world);
  await playParser(world);
  await playWebhooks(world);
  await playChannels(world);
  await playEvents(world);
  await playOperations(world);
}
