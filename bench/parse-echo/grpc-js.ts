import * as grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

/** The peer: the same service as most Node programs would write it. */
const loaded = grpc.loadPackageDefinition(loadSync("proto/proto/parser.proto"));
const { service } = (loaded["proto"] as grpc.GrpcObject)["Parser"] as grpc.ServiceClientConstructor;

const server = new grpc.Server();
server.addService(service, {
  Parse: (
    call: grpc.ServerUnaryCall<{ content: Buffer }, { content: Buffer }>,
    done: grpc.sendUnaryData<{ content: Buffer }>,
  ) => {
    done(null, { content: call.request.content });
  },
});
server.bindAsync(`127.0.0.1:${process.env["PORT"]}`, grpc.ServerCredentials.createInsecure(), () => {});
process.once("SIGTERM", () => process.exit(0));
