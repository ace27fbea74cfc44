import type { Connection } from "./connections.ts";
import type { GatewayLimits } from "./limits.ts";
import { tooManyStreams } from "./refusals.ts";

/**
 * Counts a streaming call of a caller without a key, which may be open for
 * ever. What it returns counts it no more. @throws ConnectError RESOURCE_EXHAUSTED
 */
export function enterStream(connection: Connection, limits: GatewayLimits): () => void {
  const { address } = connection;
  const { openStreamsPerConnection, openStreamsPerAddress } = limits;
  if (connection.openStreams >= openStreamsPerConnection)
    throw tooManyStreams(openStreamsPerConnection, "connection");
  if (!address.isShared && address.openStreams >= openStreamsPerAddress)
    throw tooManyStreams(openStreamsPerAddress, "address");
  connection.openStreams++;
  address.openStreams++;
  return () => {
    connection.openStreams--;
    address.openStreams--;
  };
}
