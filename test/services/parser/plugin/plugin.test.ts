import { createClient, createRouterTransport } from "@connectrpc/connect";
import { describe, expect, it, vi } from "vitest";
import { GRPCController } from "../../../../gen/plugin/grpc_controller_pb.ts";
import {
  createPluginController,
  pluginHandshake,
  refusePluginCookie,
} from "../../../../services/parser/plugin/plugin.ts";

describe("the plugin convention", () => {
  it("has its own service name", () => {
    expect(`/${GRPCController.typeName}/${GRPCController.method.shutdown.name}`).toBe(
      "/plugin.GRPCController/Shutdown",
    );
  });

  it("hands the port over in one line", () => {
    expect(pluginHandshake(40_123)).toBe("1|1|tcp|127.0.0.1:40123|grpc\n");
  });

  it.each([
    ["v2", undefined],
    [undefined, /which sets LogBus=v2 \(it is not set\)/],
    ["v1", /it is "v1"/],
  ])("cookie %j", (value, message) => {
    expect(refusePluginCookie(value) ?? "accepted").toMatch(message ?? /^accepted$/);
  });

  it("answers Shutdown and begins the stop", async () => {
    const onShutdown = vi.fn();
    const controller = createPluginController(onShutdown);
    const client = createClient(
      GRPCController,
      createRouterTransport(({ service }) => service(GRPCController, controller)),
    );
    await client.shutdown({});
    expect(onShutdown).toHaveBeenCalledTimes(1);
  });
});
