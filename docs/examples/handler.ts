import * as grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

// Any gRPC server will do; this one reads the contract from the .proto files.
const contract = loadSync("engage/handler/v1/message_handler.proto", {
  includeDirs: ["proto"],
  defaults: true,
});
const service = contract["engage.handler.v1.MessageHandler"] as grpc.ServiceDefinition;

type Message = { index: number; pushId: string; params: Record<string, { stringValue?: string }> };
type Call = { request: { batch: { messages: Message[] } } };

// One result for each message: done, dead with a reason, or retryAfter.
function handle(call: Call, respond: (error: null, response: object) => void): void {
  const results = call.request.batch.messages.map(({ index, pushId, params }) => {
    const title = params["title"]?.stringValue;
    if (title === undefined) return { index, dead: { reason: "title is missing" } };
    console.log(`to ${pushId}: ${title}`);
    return { index, done: {} };
  });
  respond(null, { results });
}

const server = new grpc.Server();
server.addService(service, { Handle: handle });
const address = process.argv[2] ?? "127.0.0.1:9000";
server.bindAsync(address, grpc.ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  console.log(`listening on port ${port}`);
});
