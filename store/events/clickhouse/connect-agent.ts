import { Agent } from "node:http";
import { Agent as TlsAgent } from "node:https";
import type { Duplex } from "node:stream";

export interface ConnectAgentOptions {
  readonly maxSockets: number;
  /** The maximum time to connect. */
  readonly connectMs: number;
}

/**
 * Creates an agent that gives a connection up when it takes too long. The system tries for minutes to reach a server
 * whose network drops everything.
 */
export function createConnectAgent(url: string, { maxSockets, connectMs }: ConnectAgentOptions): Agent {
  const isTls = new URL(url).protocol === "https:";
  const agent = new (isTls ? TlsAgent : Agent)({ keepAlive: true, maxSockets });
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (...args) => {
    const socket = connect(...args);
    if (socket) limitTime(socket, isTls ? "secureConnect" : "connect", connectMs);
    return socket;
  };
  return agent;
}

function limitTime(socket: Duplex, connected: string, ms: number): void {
  const timer = setTimeout(() => socket.destroy(new Error(`not connected within ${ms} ms`)), ms);
  for (const event of [connected, "close"]) socket.once(event, () => clearTimeout(timer));
}
