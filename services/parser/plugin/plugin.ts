import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { EmptySchema, type GRPCController } from "../../../gen/plugin/grpc_controller_pb.ts";

/**
 * The go-plugin convention, by which a log shipper starts the parser as its child: the cookie proves that a shipper
 * started the process, the first line on stdout says where to call, nothing else goes to stdout, and
 * `plugin.GRPCController/Shutdown` ends the process. The health service answers for {@link pluginHealthService}.
 */
export const pluginCookie = { name: "LogBus", value: "v2" } as const;

export const pluginHealthService = "plugin";

/** What to tell a person who started the plugin by hand; undefined when a shipper did. `value`: that of the variable. */
export function refusePluginCookie(value: string | undefined): string | undefined {
  if (value === pluginCookie.value) return undefined;
  const found = value === undefined ? "is not set" : `is ${JSON.stringify(value)}`;
  return `this command is started by a log shipper, which sets ${pluginCookie.name}=${pluginCookie.value} (it ${found}); to serve without one, use: engage serve`;
}

/** The line to write to stdout, flushed, once the port is listening: core version, protocol version, address, protocol. */
export function pluginHandshake(port: number): string {
  return `1|1|tcp|127.0.0.1:${port}|grpc\n`;
}

/** `onShutdown` begins the stop and returns at once, so that this call is still answered. */
export function createPluginController(onShutdown: () => void): ServiceImpl<typeof GRPCController> {
  return {
    shutdown() {
      onShutdown();
      return create(EmptySchema);
    },
  };
}
