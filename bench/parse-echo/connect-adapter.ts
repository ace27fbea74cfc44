import { createServer } from "node:http2";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { Parser } from "../../gen/proto/parser_pb.ts";

/** Connect's own way to serve the same. */
const handler = connectNodeAdapter({
  routes: (router) => router.service(Parser, { parse: (request) => ({ content: request.content }) }),
});
createServer({}, handler).listen(Number(process.env["PORT"]), "127.0.0.1");
process.once("SIGTERM", () => process.exit(0));
