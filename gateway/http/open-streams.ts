import type { ConnectError } from "@connectrpc/connect";
import { tooManyStreams } from "../call/refusals.ts";
import type { GatewayLimits } from "../limits.ts";
import type { Connection } from "./connections.ts";

type StreamLimits = Pick<GatewayLimits, "openStreamsPerConnection" | "openStreamsPerAddress">;

/**
 * Counts a streaming call of a caller without a key, which may be open for
 * ever. What it returns counts it no more. @throws ConnectError RESOURCE_EXHAUSTED
 */
export function enterStream(connection: Connection, limits: StreamLimits): () => void {
  const refusal = refuseStream(connection, limits);
  if (refusal !== undefined) throw refusal;
  const { address } = connection;
  connection.refusedStreams = 0;
  connection.openStreams++;
  address.openStreams++;
  return () => {
    connection.openStreams--;
    address.openStreams--;
  };
}

/** The error for one more such call, which counts as refused; undefined where there is room for it. */
export function refuseStream(connection: Connection, limits: StreamLimits): ConnectError | undefined {
  const { address } = connection;
  const { openStreamsPerConnection, openStreamsPerAddress } = limits;
  let refusal: ConnectError | undefined;
  if (connection.openStreams >= openStreamsPerConnection)
    refusal = tooManyStreams(openStreamsPerConnection, "connection");
  else if (!address.isShared && address.openStreams >= openStreamsPerAddress)
    refusal = tooManyStreams(openStreamsPerAddress, "address");
  if (refusal !== undefined) connection.refusedStreams++;
  return refusal;
}
