import { Code, ConnectError } from "@connectrpc/connect";
import { knownNames } from "../../base/text/known-names.ts";
import { quoteText } from "../../base/text/quote.ts";
import { ServerReflection } from "../../gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ServerReflectionAlpha } from "../../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { type ServedService, serve } from "../methods.ts";
import { type DescriptorIndex, indexDescriptors } from "./descriptor-index.ts";

/** Open to callers without a key where none are asked for; names are shorter, and clients ask for some dozens. */
const serveOptions = { maxMessageBytes: 4_096 };
const maxQuestions = 500;

/** The questions, which v1 and v1alpha spell alike. */
type Question =
  | {
      case: "fileByFilename" | "fileContainingSymbol" | "allExtensionNumbersOfType" | "listServices";
      value: string;
    }
  | { case: "fileContainingExtension"; value: { containingType: string; extensionNumber: number } }
  | { case: undefined; value?: undefined };

type MessageResponse =
  | { case: "fileDescriptorResponse"; value: { fileDescriptorProto: Uint8Array<ArrayBuffer>[] } }
  | { case: "allExtensionNumbersResponse"; value: { baseTypeName: string; extensionNumber: number[] } }
  | { case: "listServicesResponse"; value: { service: { name: string }[] } }
  | { case: "errorResponse"; value: { errorCode: number; errorMessage: string } };

/**
 * `grpc.reflection.v1` and `v1alpha` over the given services, which are to
 * include health; reflection adds itself. Every response with files holds the
 * whole closure of imports, the file asked for first.
 */
export function createReflection(services: readonly ServedService[]): readonly ServedService[] {
  const descs = [...services.map(({ desc }) => desc), ServerReflection, ServerReflectionAlpha];
  let index: DescriptorIndex | undefined;
  const respond = (question: Question): MessageResponse => {
    // Built by the first question, to keep it out of the time that starting takes.
    index ??= indexDescriptors(descs);
    return respondTo(index, question);
  };
  return [
    serve(
      ServerReflection,
      {
        async *serverReflectionInfo(requests) {
          for await (const request of bounded(requests))
            yield reply(request, respond(request.messageRequest));
        },
      },
      serveOptions,
    ),
    serve(
      ServerReflectionAlpha,
      {
        async *serverReflectionInfo(requests) {
          for await (const request of bounded(requests))
            yield reply(request, respond(request.messageRequest));
        },
      },
      serveOptions,
    ),
  ];
}

/** @throws ConnectError RESOURCE_EXHAUSTED after as many questions as one stream may ask */
async function* bounded<Request>(requests: AsyncIterable<Request>): AsyncGenerator<Request> {
  let questions = 0;
  for await (const request of requests) {
    if (++questions > maxQuestions) {
      const message = `a stream takes at most ${maxQuestions} requests, send the others on another stream`;
      throw new ConnectError(message, Code.ResourceExhausted);
    }
    yield request;
  }
}

function reply<R extends { host: string }, A>(originalRequest: R, messageResponse: A) {
  return { validHost: originalRequest.host, originalRequest, messageResponse };
}

/** Responds to a failed request with its error; the stream continues. */
function respondTo(index: DescriptorIndex, question: Question): MessageResponse {
  try {
    return lookUp(index, question);
  } catch (error) {
    const { code, rawMessage } = ConnectError.from(error, Code.Internal);
    return { case: "errorResponse", value: { errorCode: code, errorMessage: rawMessage } };
  }
}

function lookUp(index: DescriptorIndex, question: Question): MessageResponse {
  switch (question.case) {
    case "listServices":
      return {
        case: "listServicesResponse",
        value: { service: index.serviceNames.map((name) => ({ name })) },
      };
    case "fileByFilename":
      return files(index, question.value, ["file", question.value]);
    case "fileContainingSymbol":
      return files(index, index.fileOfSymbol(question.value), ["symbol", question.value]);
    case "fileContainingExtension": {
      const { containingType, extensionNumber } = question.value;
      const file = index.extensionsOf(containingType)?.get(extensionNumber);
      return files(index, file, [`extension ${extensionNumber} of`, containingType]);
    }
    case "allExtensionNumbersOfType": {
      const known = index.extensionsOf(question.value) ?? refuse(index, "message", question.value);
      const extensionNumber = [...known.keys()].sort((a, b) => a - b);
      return {
        case: "allExtensionNumbersResponse",
        value: { baseTypeName: question.value, extensionNumber },
      };
    }
    default:
      throw new ConnectError(
        "the request has no message_request that this server supports",
        Code.InvalidArgument,
      );
  }
}

function files(
  index: DescriptorIndex,
  file: string | undefined,
  asked: readonly [subject: string, name: string],
): MessageResponse {
  const fileDescriptorProto = file === undefined ? undefined : index.encodeClosure(file);
  return {
    case: "fileDescriptorResponse",
    value: { fileDescriptorProto: fileDescriptorProto ?? refuse(index, ...asked) },
  };
}

/** Names at most the nearest service: there are thousands of symbols, and strangers may ask. */
function refuse({ serviceNames }: DescriptorIndex, subject: string, name: string): never {
  const style = { all: "list_services lists the services" };
  const hint = subject === "symbol" ? knownNames(name, serviceNames, style) : style.all;
  throw new ConnectError(`${subject} ${quoteText(name)} is not known to this server, ${hint}`, Code.NotFound);
}
