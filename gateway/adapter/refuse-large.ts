import { ConnectError } from "@connectrpc/connect";
import {
  createAsyncIterable,
  encodeEnvelope,
  type UniversalServerResponse,
} from "@connectrpc/connect/protocol";
import {
  codeToHttpStatus,
  endStreamFlag,
  endStreamToJson,
  errorToJsonBytes,
} from "@connectrpc/connect/protocol-connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { trailerFlag, trailerSerialize } from "@connectrpc/connect/protocol-grpc-web";
import type { CallRecord } from "../call/record.ts";
import type { ByteShare } from "../http/open-bytes.ts";

/** Replaces a message that is larger than its connection may leave unread by an error, which ends the response. */
export async function refuseLarge(
  response: UniversalServerResponse,
  record: CallRecord,
  reading: ByteShare,
): Promise<UniversalServerResponse> {
  const { body } = response;
  if (body === undefined) return response;
  const isWhole = record.protocol === "connect" && record.method.methodKind === "unary";
  if (!isWhole) return { ...response, body: checkFrames(body, response.trailer, record, reading) };
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  try {
    reading.check(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
    return { ...response, body: createAsyncIterable(parts) };
  } catch (error) {
    return fail(response, ConnectError.from(error));
  }
}

function fail(response: UniversalServerResponse, error: ConnectError): UniversalServerResponse {
  const bytes = errorToJsonBytes(error, undefined);
  const header = new Headers(response.header);
  header.delete("content-encoding");
  header.set("content-type", "application/json");
  header.set("content-length", String(bytes.length));
  return { ...response, status: codeToHttpStatus(error.code), header, body: createAsyncIterable([bytes]) };
}

/** The response has begun, so that the error is in its trailers, or in the last frame of its body. */
async function* checkFrames(
  body: AsyncIterable<Uint8Array>,
  trailer: Headers | undefined,
  record: CallRecord,
  reading: ByteShare,
): AsyncGenerator<Uint8Array> {
  for await (const frame of body) {
    try {
      reading.check(frame.byteLength);
    } catch (reason) {
      const error = ConnectError.from(reason);
      record.code = error.code;
      if (trailer === undefined) yield lastFrame(error, record);
      else setTrailerStatus(trailer, error);
      return;
    }
    yield frame;
  }
}

function lastFrame(error: ConnectError, { protocol }: CallRecord): Uint8Array {
  const status = new Headers();
  if (protocol === "connect") {
    const end = JSON.stringify(endStreamToJson(status, error, undefined));
    return encodeEnvelope(endStreamFlag, Buffer.from(end));
  }
  setTrailerStatus(status, error);
  return encodeEnvelope(trailerFlag, trailerSerialize(status));
}
