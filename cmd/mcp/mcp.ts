import { once } from "node:events";
import type { Readable } from "node:stream";
import { packageVersion } from "../../base/package/root.ts";
import { AgentTools } from "../../gen/engage/agent/v1/agent_tools_pb.ts";
import { describeCallError } from "../client/call-fault.ts";
import { chooseServer } from "../client/choose-server.ts";
import { type ServerOptions, withClient } from "../client/rpc-client.ts";
import type { ConfigOptions } from "../config/config.ts";

export type McpOptions = ServerOptions;

/**
 * Serves the tools of a running server over standard streams until standard input ends. It calls the server's service,
 * so the limits of pushes are the server's too.
 * @throws UserError
 */
export async function runMcp(options: ConfigOptions, server: McpOptions, stdin: Readable): Promise<void> {
  // A file does not close at its end, and a pipe that breaks does not end.
  const ended = Promise.race([once(stdin, "end"), once(stdin, "close")]);
  const { token: bearerToken } = chooseServer(options, server);
  await withClient(AgentTools, options, { ...server, bearerToken }, async (tools) => {
    const [{ serveStdio }, { createProtocolServer }] = await Promise.all([
      import("@modelcontextprotocol/server/stdio"),
      import("../../services/agent/protocol/protocol.ts"),
    ]);
    const version = packageVersion();
    const handle = serveStdio(
      () => createProtocolServer({ tools, version, describeError: describeCallError }),
      {
        maxSubscriptions: 0,
      },
    );
    await ended;
    await handle.close();
  });
}
