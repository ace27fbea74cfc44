import type { Readable } from "node:stream";
import { packageVersion } from "../../base/package/root.ts";
import { AgentTools } from "../../gen/engage/agent/v1/agent_tools_pb.ts";
import { describeCallError } from "../client/call-fault.ts";
import { chooseServer } from "../client/choose-server.ts";
import { type ServerOptions, withClient } from "../client/rpc-client.ts";
import type { ConfigOptions } from "../config/config.ts";

export type McpOptions = ServerOptions;

/** The time after the limit of a call in which its failure is sent. */
const graceMs = 1_000;

/**
 * Serves the tools of a running server over standard streams until standard input has ended and open requests have
 * their responses. It calls the server's service, so the limits of pushes are the server's too.
 * @throws UserError
 */
export async function runMcp(options: ConfigOptions, server: McpOptions, stdin: Readable): Promise<void> {
  const { token: bearerToken } = chooseServer(options, server);
  await withClient(AgentTools, options, { ...server, bearerToken }, async (tools) => {
    const [{ serveStdio }, { createProtocolServer }, { StdioTransport }] = await Promise.all([
      import("@modelcontextprotocol/server/stdio"),
      import("../../services/agent/protocol/protocol.ts"),
      import("./stdio-transport.ts"),
    ]);
    const version = packageVersion();
    const { stdout } = process;
    const transport = new StdioTransport({ stdin, stdout, maxWaitMs: server.timeout + graceMs });
    serveStdio(() => createProtocolServer({ tools, version, describeError: describeCallError }), {
      transport,
      maxSubscriptions: 0,
    });
    await transport.closed;
  });
}
