import { WebhookReceiver } from "../../../../gen/engage/webhook/v1/webhook_receiver_pb.ts";
import { clientOf } from "../../rpc/transport.ts";

export const client = clientOf(WebhookReceiver);
