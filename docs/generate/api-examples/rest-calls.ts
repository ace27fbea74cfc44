import {
  create,
  type DescMessage,
  type DescMethod,
  type JsonObject,
  type MessageInitShape,
} from "@bufbuild/protobuf";
import { defaultSignatureHeader, signBody } from "../../../base/net/signature.ts";
import { serve } from "../../../gateway/methods.ts";
import type { OperationExample } from "../../../gateway/openapi/examples.ts";
import { errorResponses } from "../../../gateway/openapi/operations.ts";
import { compileBindings, type RestBinding } from "../../../gateway/rest/bindings.ts";
import { ErrorStyle } from "../../../gen/engage/gateway/v1/options_pb.ts";
import { returnCodesByStatus } from "../../../services/analysis/refusal/refusal.ts";
import { bodyExample, readLines } from "./bodies.ts";
import type { Calls, RestForm, StreamOptions } from "./calls.ts";
import type { Recorder } from "./recorder.ts";
import { type RestRequest, writeRestRequest } from "./rest-request.ts";
import { key, token } from "./server.ts";

/** Calls each method by all of its REST bindings, and methods without one by `other`. */
export function createRestCalls(url: string, recorder: Recorder, other: Calls): Calls {
  const send = (binding: RestBinding, request: object, form: RestForm) =>
    exchange(url, binding, request, form);
  return {
    async unary(method, request, form = {}) {
      let found: JsonObject | undefined;
      for (const binding of bindingsOf(method)) {
        const { sent, response } = await send(binding, request, form as RestForm);
        const text = await response.text();
        if (isFailed(response.status, text)) throw refusal(sent, response.status, text);
        const body = bodyExample(typeOf(response), text);
        recorder.add(sent.operation, exampleOf(sent, body, form as RestForm));
        found ??= body.value as JsonObject;
      }
      return found ?? (await other.unary(method, request, form));
    },
    async refused(method, request, form = {}) {
      const [binding] = bindingsOf(method);
      if (binding === undefined) return await other.refused(method, request, form);
      const { sent, response } = await send(binding, request, form as RestForm);
      const text = await response.text();
      if (!isFailed(response.status, text)) throw new Error(`${sent.operation} is not refused: ${text}`);
      const error = bodyExample(typeOf(response), text);
      if (response.status === 200) recorder.addError(sent.operation, error);
      else recorder.addErrorResponse(errorResponseOf(binding), error);
    },
    async serverStream(method, request, options = {}) {
      const bindings = bindingsOf(method);
      if (bindings.length === 0) return await other.serverStream(method, request, options);
      const { count, during = async () => undefined } = options as StreamOptions;
      for (const binding of bindings) {
        const { sent, response } = await send(binding, request, options as RestForm);
        if (response.status !== 200) throw refusal(sent, response.status, await response.text());
        const body = bodyExample(typeOf(response), await readLines(response, count, during));
        recorder.add(sent.operation, exampleOf(sent, body, options as RestForm));
      }
    },
    clientStream: (method, requests) => other.clientStream(method, requests),
  };
}

function bindingsOf(method: DescMethod): readonly RestBinding[] {
  const { methods } = serve(method.parent, {}, { returnCodes: returnCodesByStatus });
  return compileBindings([{ desc: method.parent, methods: methods.filter(({ desc }) => desc === method) }]);
}

async function exchange(url: string, binding: RestBinding, request: object, form: RestForm) {
  const { input } = binding.served.desc;
  const isOpen = binding.served.options.handlerAuthenticatesRest;
  const given = binding.httpMethod === "GET" && form.get !== undefined ? form.get : request;
  const withToken = isOpen && "token" in input.field ? { token, ...given } : given;
  const message = create(input, withToken as MessageInitShape<DescMessage>);
  const sent = writeRestRequest(binding, input, message);
  const { body, example, httpMethod, target } = sent;
  const headers = new Headers({ ...(!isOpen && { authorization: `Bearer ${key}` }), ...form.headers });
  if (example !== undefined) headers.set("content-type", example.type);
  if (form.secret !== undefined) headers.set(defaultSignatureHeader, signatureOf(sent, form.secret));
  const response = await fetch(`${url}${target}`, {
    method: httpMethod,
    headers,
    ...(body !== undefined && { body }),
  });
  return { sent, response };
}

function signatureOf({ body = "" }: RestRequest, secret: string): string {
  return signBody(secret, Buffer.from(body));
}

function exampleOf(
  sent: RestRequest,
  response: OperationExample["response"],
  { secret }: RestForm,
): OperationExample {
  const { parameters, example } = sent;
  const note =
    secret &&
    `The body in one line without spaces between its parts. Its signature with the secret \`${secret}\` is the header ` +
      `\`${defaultSignatureHeader}: ${signatureOf(sent, secret)}\`.`;
  return {
    ...(Object.keys(parameters).length > 0 && { parameters }),
    ...(example && { request: { ...example, ...(note && { note }) } }),
    response,
  };
}

function typeOf(response: Response): string {
  return response.headers.get("content-type") ?? "";
}

/** Some errors of the platform's API have the status of a success, and a code. */
function isFailed(status: number, text: string): boolean {
  return status !== 200 || /^\{"(?:return_)?code":-?[1-9]/.test(text);
}

function refusal({ operation, target }: RestRequest, status: number, text: string): Error {
  return new Error(`${operation} (${target}) is refused with ${status}: ${text}`);
}

function errorResponseOf({ served }: RestBinding): string {
  const style = served.options.errorStyle;
  if (style === ErrorStyle.RETURN_CODE) return errorResponses.returnCode;
  return style === ErrorStyle.CODE ? errorResponses.code : errorResponses.status;
}
