import { DeadLetters } from "../../../../gen/engage/operations/v1/dead_letters_pb.ts";
import { clientOf } from "../../rpc/transport.ts";

export const client = clientOf(DeadLetters);
