import {
  credentials,
  loadPackageDefinition,
  Metadata,
  type MethodDefinition,
  Client as RawClient,
  type ServiceClientConstructor,
} from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { tlsToAddress } from "./tls-to-address.ts";

const loaded = loadPackageDefinition(
  loadSync(["proto/parser.proto", "engage/parser/v1/parser_stream.proto"], {
    includeDirs: ["proto"],
    longs: Number,
    defaults: true,
    oneofs: true,
  }),
) as unknown as {
  proto: { Parser: ServiceClientConstructor };
  engage: { parser: { v1: { ParserStream: ServiceClientConstructor } } };
};

export interface LineResult {
  readonly lineNumber: number;
  readonly outcome: "records" | "error";
  readonly records?: { readonly json: readonly Buffer[] };
  readonly error?: { readonly reason: string; readonly message: string };
}

interface Content {
  readonly content: Buffer;
}
interface Lines {
  readonly index?: string;
  readonly lines: readonly Buffer[];
}

/** The parser as a foreign program calls it: generated from the proto files, over `@grpc/grpc-js`. */
export class ParserClient implements Disposable {
  readonly #client: RawClient;

  /** @param ca the certificate of an authority, PEM, to connect over TLS */
  constructor(port: number, ca?: string) {
    const security = ca === undefined ? credentials.createInsecure() : credentials.createSsl(Buffer.from(ca));
    this.#client = new RawClient(`127.0.0.1:${port}`, security, {
      ...tlsToAddress,
      "grpc.max_receive_message_length": -1,
      "grpc.max_send_message_length": -1,
    });
  }

  /** Waits for a server that is not there yet. */
  parse(content: string | Buffer, headers: Readonly<Record<string, string>> = {}): Promise<Buffer> {
    const method = loaded.proto.Parser.service["Parse"] as MethodDefinition<Content, Content>;
    const metadata = new Metadata({ waitForReady: true });
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    this.#client.makeUnaryRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
      { content: Buffer.from(content) },
      metadata,
      { deadline: Date.now() + 30_000 },
      (error, answer) => (error === null ? resolve(answer!.content) : reject(error)),
    );
    return promise;
  }

  parseLines() {
    const { service } = loaded.engage.parser.v1.ParserStream;
    const method = service["ParseLines"] as MethodDefinition<
      Lines,
      { readonly results: readonly LineResult[] }
    >;
    return this.#client.makeBidiStreamRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
    );
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }
}
