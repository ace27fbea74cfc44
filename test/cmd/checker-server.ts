import { once } from "node:events";
import { createServer, type Http2Session } from "node:http2";
import type { AddressInfo } from "node:net";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { PushIdChecker } from "../../gen/engage/handler/v1/push_id_checker_pb.ts";

/** An h2c server that implements PushIdChecker. */
export interface CheckerServer extends AsyncDisposable {
  readonly url: string;
  /** The calls that it received. */
  readonly asked: readonly { readonly channel: string; readonly pushIds: readonly string[] }[];
}

export async function openCheckerServer(answer: {
  readonly unusable: { readonly pushId: string; readonly reason: string }[];
}): Promise<CheckerServer> {
  const asked: { channel: string; pushIds: string[] }[] = [];
  const routes = connectNodeAdapter({
    routes: (router) =>
      router.service(PushIdChecker, {
        checkPushIds({ channel, pushIds }) {
          asked.push({ channel, pushIds });
          return answer;
        },
      }),
  });
  const sessions = new Set<Http2Session>();
  const server = createServer(routes).on("session", (session) => sessions.add(session));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy();
      server.close();
    },
  };
}
