import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";

export interface IngestCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body, decompressed. */
  readonly text: string;
}

export interface IngestAnswer {
  readonly status?: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A fake ingest of the platform: keeps its input, and accepts everything by default. */
export interface IngestServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly calls: readonly IngestCall[];
  /** Returns the reply; undefined cuts the connection instead. */
  reply: (call: IngestCall) => Promise<IngestAnswer | undefined> | IngestAnswer | undefined;
}

export const taken: IngestAnswer = { text: '{"code":0}' };

/** @param port 0 for any */
export async function openIngestServer(port = 0): Promise<IngestServer> {
  const calls: IngestCall[] = [];
  const server = createServer(async (request, response) => {
    const { url: path = "", headers } = request;
    const call = { path, headers, text: gunzipSync(await buffer(request)).toString() };
    calls.push(call);
    const answer = await ingest.reply(call);
    if (answer === undefined) response.destroy();
    else response.writeHead(answer.status ?? 200, answer.headers).end(answer.text);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  const ingest: IngestServer = {
    calls,
    port: address.port,
    url: `http://127.0.0.1:${address.port}`,
    reply: () => taken,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return ingest;
}
