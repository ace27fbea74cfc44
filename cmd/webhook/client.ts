import type { Client } from "@connectrpc/connect";
import { WebhookReceiver } from "../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { type ServerOptions, withClient } from "../client/rpc-client.ts";
import type { ConfigOptions } from "../config/config.ts";

export type WebhookClient = Client<typeof WebhookReceiver>;

/**
 * Runs `work` with a client of a running server.
 * @throws UserError that names the server, when a call fails
 */
export async function withWebhookClient<T>(
  options: ConfigOptions,
  server: ServerOptions,
  work: (client: WebhookClient) => Promise<T>,
): Promise<T> {
  return await withClient(WebhookReceiver, options, server, work);
}
