import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { EmptySchema, type GRPCController } from "../../../gen/plugin/grpc_controller_pb.ts";

/**
 * The go-plugin convention, with which a log shipper starts the parser as a child process: the cookie proves that a
 * shipper started the process, the first and only line on stdout gives the address, and
 * `plugin.GRPCController/Shutdown` ends the process. The health service reports {@link pluginHealthService}.
 */
export const pluginCookie = { name: "LogBus", value: "v2" } as const;

export const pluginHealthService = "plugin";

/**
 * Returns a message for a user who started the plugin by hand; undefined when a shipper did. `value` is that of the
 * variable.
 */
export function refusePluginCookie(value: string | undefined): string | undefined {
  if (value === pluginCookie.value) return undefined;
  const found = value === undefined ? "is not set" : `is ${JSON.stringify(value)}`;
  return `this command is started by a log shipper, which sets ${pluginCookie.name}=${pluginCookie.value} (it ${found}); to serve without one, use: engage serve`;
}

/**
 * Returns the line to write to stdout, flushed, when the port listens: core version, protocol version, address,
 * protocol.
 */
export function pluginHandshake(port: number): string {
  return `1|1|tcp|127.0.0.1:${port}|grpc\n`;
}

/** `onShutdown` begins the stop and returns immediately, so that this call still gets its response. */
export function createPluginController(onShutdown: () => void): ServiceImpl<typeof GRPCController> {
  return {
    shutdown() {
      onShutdown();
      return create(EmptySchema);
    },
  };
}
