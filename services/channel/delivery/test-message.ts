import { plainText } from "../../../base/text/plain-text.ts";
import type { Channel } from "../../../gen/engage/channel/v1/channel_pb.ts";
import type { AudienceSource } from "../audience/source.ts";
import { compileReceipts } from "../content/receipts.ts";

/** Receipt ids of tests, which are excluded from statistics. */
const testIds = { kind: "task", taskId: "test", taskInstanceId: "test", execDetailId: "test" } as const;

/** Writes the receipts of a message outside a run, as JSON. */
export function writeTestReceipts(
  { projectId }: Pick<Channel, "projectId">,
  requestId: string,
  { groupId = "", language = "" } = {},
): string {
  const ids = { projectId: Number(projectId), origin: testIds, groupId, language };
  return compileReceipts(ids)(requestId);
}

export interface Recipient {
  readonly channel: Pick<Channel, "projectId" | "pushIdProperty">;
  readonly pushId: string;
}

/** Reads the texts of properties of the user with the push id; an unknown user has none. */
export async function readTexts(
  properties: readonly string[],
  { channel, pushId }: Recipient,
  audience: Pick<AudienceSource, "lookup">,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (properties.length === 0) return [];
  const { projectId, pushIdProperty } = channel;
  const request = { projectId: Number(projectId), pushIdProperty, pushIds: [pushId], properties };
  const found = (await audience.lookup(request, signal)).get(pushId);
  return properties.map((name) => plainText(found?.[name]));
}
