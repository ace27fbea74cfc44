import type { PostgresStore } from "../../sql/postgres/store.ts";
import { channelFaults } from "../faults.ts";
import { type ChannelsOperations, operations } from "../sql/operations.ts";
import { MIGRATIONS } from "./schema.ts";

export const channelStore: PostgresStore & { readonly operations: ChannelsOperations } = {
  faults: channelFaults,
  operations,
  migrations: MIGRATIONS,
  // Beside the tables of the inbox, when that has the same schema.
  tableOf: (name) => (name === "channels" ? name : `channel_${name}`),
};
