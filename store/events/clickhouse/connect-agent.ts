import { Agent, type AgentOptions } from "node:http";
import { Agent as TlsAgent } from "node:https";
import type { Duplex } from "node:stream";

export interface ConnectAgentOptions extends Pick<AgentOptions, "keepAlive" | "maxSockets"> {
  /** The maximum time to connect. */
  readonly connectMs: number;
}

/**
 * Creates an agent that gives a connection up when it takes too long. The system tries for minutes to reach a server
 * whose network drops everything.
 */
export function createConnectAgent(url: string, { connectMs, ...options }: ConnectAgentOptions): Agent {
  const isTls = new URL(url).protocol === "https:";
  const agent = new (isTls ? TlsAgent : Agent)(options);
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (...args) => {
    const socket = connect(...args);
    if (socket) limitTime(socket, isTls ? "secureConnect" : "connect", connectMs);
    return socket;
  };
  const reuse = agent.reuseSocket.bind(agent);
  agent.reuseSocket = (socket, request) => {
    reuse(socket, request);
    const sentAt = performance.now();
    const note = (error: Error): void => {
      if (performance.now() - sentAt <= lostMs) faultsOfKept.add(error);
    };
    request.once("error", note).once("response", () => request.off("error", note));
  };
  return agent;
}

/** A connection that was closed while it was idle shows it within this time after a request is sent. */
const lostMs = 3_000;

/** The errors of requests that had no response over their kept connection, soon after they were sent. */
const faultsOfKept = new WeakSet<Error>();

/**
 * Whether a request failed because its kept connection was closed soon after it was sent, before the response: a server
 * may close an idle connection while a request is on its way. One that is closed later may have failed by the request.
 */
export function isLostOnKept(error: unknown): boolean {
  return error instanceof Error && faultsOfKept.has(error) && "code" in error && lostCodes.has(error.code);
}

const lostCodes: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE"]);

function limitTime(socket: Duplex, connected: string, ms: number): void {
  const timer = setTimeout(() => socket.destroy(new Error(`not connected within ${ms} ms`)), ms);
  for (const event of [connected, "close"]) socket.once(event, () => clearTimeout(timer));
}
