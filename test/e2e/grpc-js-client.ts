import {
  credentials,
  loadPackageDefinition,
  Metadata,
  type MethodDefinition,
  Client as RawClient,
  type ServiceClientConstructor,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

// biome-ignore lint/suspicious/noExplicitAny: each test knows what it calls
export type Message = any;

/**
 * Calls any method of a service as a foreign program does: by its proto file, over `@grpc/grpc-js`. Fails with a
 * `ServiceError`.
 */
export interface GrpcJsClient extends Disposable {
  unary(method: string, request: object): Promise<Message>;
  serverStream(method: string, request: object): Promise<readonly Message[]>;
  clientStream(method: string, requests: readonly object[]): Promise<Message>;
  bidiStream(method: string, requests: readonly object[]): Promise<readonly Message[]>;
}

type Method = MethodDefinition<object, Message>;

/** @param service its full name @param file its proto file, below `proto/` */
export function openGrpcJs(url: string, service: string, file: string, token?: string): GrpcJsClient {
  const settings = { longs: Number, enums: String, defaults: true, oneofs: true };
  const loaded = loadPackageDefinition(loadSync(file, { includeDirs: ["proto"], ...settings }));
  const found: Message = service.split(".").reduce((scope: Message, name) => scope[name], loaded);
  const methods = (found as ServiceClientConstructor).service;
  const client = new RawClient(new URL(url).host, credentials.createInsecure());
  const metadata = new Metadata();
  if (token !== undefined) metadata.set("authorization", `Bearer ${token}`);
  const of = (name: string) => {
    const { path, requestSerialize, responseDeserialize } = methods[name] as Method;
    return [path, requestSerialize, responseDeserialize] as const;
  };
  return {
    unary: (method, request) =>
      called((done) => client.makeUnaryRequest(...of(method), request, metadata, done)),
    serverStream: (method, request) =>
      client.makeServerStreamRequest(...of(method), request, metadata).toArray(),
    clientStream: (method, requests) =>
      called((done) => {
        const call = client.makeClientStreamRequest(...of(method), metadata, done);
        for (const request of requests) call.write(request);
        call.end();
      }),
    bidiStream(method, requests) {
      const call = client.makeBidiStreamRequest(...of(method), metadata);
      for (const request of requests) call.write(request);
      call.end();
      return call.toArray();
    },
    [Symbol.dispose]: () => client.close(),
  };
}

function called(call: (done: (error: Error | null, answer?: Message) => void) => void): Promise<Message> {
  const { promise, resolve, reject } = Promise.withResolvers<Message>();
  call((error, answer) => (error === null ? resolve(answer) : reject(error)));
  return promise;
}
