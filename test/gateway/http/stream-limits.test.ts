import { once } from "node:events";
import { constants } from "node:http2";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test, vi } from "vitest";
import type { Authorize } from "../../../gateway/gateway-context.ts";
import { envelope, grpcStatusOf } from "../../e2e/raw.ts";
import { openGatewayForTest } from "../gateway-server.ts";
import { kinds, openSession, path, upload } from "./uploads.ts";

describe.each([true, false])("with the lanes %j", (lanes) => {
  test("streams of callers without a key are counted by connection and address", async () => {
    const limits = { openStreamsPerConnection: 2, openStreamsPerAddress: 3 };
    const server = await openGatewayForTest({ lanes, limits });
    const watch = () => {
      const session = openSession(server);
      return () => {
        const one = upload(session, {
          ":path": "/grpc.health.v1.Health/Watch",
          "content-type": "application/grpc",
        });
        one.stream.end(envelope(Buffer.alloc(0)));
        return one;
      };
    };
    const [first, second] = [watch(), watch()];
    const open = [first(), first(), second()];
    await Promise.all(open.map(({ stream }) => once(stream, "data")));
    expect(grpcStatusOf(await first().answer)).toBe(Code.ResourceExhausted);
    expect(grpcStatusOf(await second().answer)).toBe(Code.ResourceExhausted);
    open[0]!.stream.close();
    await vi.waitFor(() => expect(server.finished.length).toBe(3));
    await once(second().stream, "data");
  });

  test("a connection that goes on after many refused streams is closed, and its open calls go on", async () => {
    const server = await openGatewayForTest({ lanes, limits: { openStreamsPerConnection: 1 } });
    const session = openSession(server);
    const watch = () => {
      const one = upload(session, {
        ":path": "/grpc.health.v1.Health/Watch",
        "content-type": "application/grpc",
      });
      one.stream.end(envelope(Buffer.alloc(0)));
      return one;
    };
    const open = watch();
    await once(open.stream, "data");
    const refused = await Promise.all(Array.from({ length: 100 }, () => watch().answer));
    expect(new Set(refused.map(grpcStatusOf))).toEqual(new Set([Code.ResourceExhausted]));
    const goaway = once(session, "goaway");
    const last = watch();
    await last.answer;
    expect(last.stream.rstCode).toBe(constants.NGHTTP2_REFUSED_STREAM);
    expect((await goaway)[0]).toBe(constants.NGHTTP2_NO_ERROR);
    server.gateway.health.set("", "not serving");
    await once(open.stream, "data");
    open.stream.close();
    await once(session, "close");
  });

  test.each(["application/grpc", "application/grpc-web"])(
    "streams of callers that may not make them are refused by their headers alone: %s",
    async (type) => {
      const authorize: Authorize = () => {
        throw new ConnectError("this call needs a key", Code.Unauthenticated, {
          "www-authenticate": "Bearer",
        });
      };
      const server = await openGatewayForTest({ lanes, authorize });
      const one = upload(openSession(server), {
        ":path": path.replace("Echo", "Collect"),
        "content-type": type,
      });
      const answer = await one.answer;
      expect(grpcStatusOf(answer)).toBe(Code.Unauthenticated);
      expect(`${JSON.stringify(answer.headers)}${answer.body}`).toContain("www-authenticate");
      expect(server.finished.map(({ code }) => code)).toEqual([Code.Unauthenticated]);
    },
  );

  test("calls of an address beyond its limit are refused to be sent again", async () => {
    const never = new Promise<never>(() => undefined);
    const server = await openGatewayForTest({
      lanes,
      limits: { maxCallsPerAddress: 2 },
      library: { echo: () => never },
    });
    const session = openSession(server);
    const [first] = [upload(session, kinds[0]![1]), upload(session, kinds[0]![1])];
    await vi.waitFor(() => expect(server.started.length).toBe(2));
    const third = upload(session, kinds[0]![1]);
    await third.answer;
    expect(third.stream.rstCode).toBe(7);
    first!.stream.close();
    await vi.waitFor(() => expect(server.finished.length).toBe(1));
    upload(session, kinds[0]![1]);
    await vi.waitFor(() => expect(server.started.length).toBe(3));
  });
});
