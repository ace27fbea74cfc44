import type { Message } from "@bufbuild/protobuf";
import type { Violation } from "../../base/rpc/violation.ts";
import { bare, knownNames } from "../../base/text/known-names.ts";
import { quoteText, shorten } from "../../base/text/quote.ts";
import { isForeignContract } from "../methods.ts";
import type { RestBinding } from "./bindings.ts";
import { compileParameter, type Parameter, parameterNames } from "./parameters.ts";
import { maxViolations } from "./violations.ts";

/** Fills the message from a query text; returns what is wrong with it. */
export type BindQuery = (message: Message, query: string) => readonly Violation[];

/** Recursive messages have names without end. */
const maxKnownNames = 1_000;
/** Caches and proxies add parameters with this prefix. */
const ignoredPrefix = "_";

/**
 * How query parameters fill the fields that neither the path nor the body
 * fills. A parameter without a field is refused, for it is mostly a misspelt
 * one; in the error styles of published contracts, whose callers add parameters
 * of their own, it is ignored.
 */
export function compileQuery(binding: RestBinding): BindQuery {
  const { input } = binding.served.desc;
  const isLenient = isForeignContract(binding.served);
  const taken = takenNames(binding);
  const isTaken = (name: string): boolean =>
    taken.some((prefix) => name === prefix || name.startsWith(`${prefix}.`));
  const known = new Map<string, Parameter>();
  const resolve = (name: string): Parameter | string => {
    const parameter =
      binding.body === "*" ? "the body is the whole message" : compileParameter(input, name.split("."));
    if (typeof parameter === "string") return parameter;
    if (isTaken(parameter.name)) return `${quoteText(parameter.name)} is set by the path or the body`;
    if (known.size < maxKnownNames) known.set(name, parameter);
    return parameter;
  };
  const valid = binding.body === "*" ? [] : parameterNames(input).filter((name) => !isTaken(name));
  return (message, query) => {
    const { parameters, malformed } = parseQuery(query);
    const violations = malformed
      .slice(0, maxViolations)
      .map((part) => invalid(shorten(part), "has a malformed percent escape"));
    // A field has two names, `page_size` and `pageSize`, whose values are joined.
    const given = new Map<string, { readonly parameter: Parameter | string; readonly texts: string[] }>();
    for (const [name, texts] of parameters) {
      const parameter = known.get(name) ?? resolve(name);
      const key = typeof parameter === "string" ? name : parameter.name;
      const same = given.get(key);
      if (same === undefined) given.set(key, { parameter, texts });
      else same.texts.push(...texts);
    }
    for (const [name, { parameter, texts }] of given) {
      if (violations.length >= maxViolations) break;
      if (typeof parameter !== "string") {
        const problem = parameter.bind(message, texts);
        if (problem !== undefined) violations.push(invalid(shorten(name), problem));
      } else if (!isLenient && !name.startsWith(ignoredPrefix)) {
        violations.push({
          field: shorten(name),
          description: `is not a query parameter: ${parameter}, ${knownNames(name, valid, { write: bare })}`,
          reason: "UNKNOWN_PARAMETER",
        });
      }
    }
    return violations;
  };
}

/** Returns the fields that query parameters cannot set. */
function takenNames({ variables, body }: RestBinding): readonly string[] {
  const names = variables.map(({ parameter }) => parameter.name);
  return body === undefined || body === "*" ? names : [...names, body.name];
}

interface Query {
  readonly parameters: ReadonlyMap<string, string[]>;
  readonly malformed: readonly string[];
}

/** Unlike `URLSearchParams`, which turns bytes that are not UTF-8 into others, this one notes them. */
function parseQuery(query: string): Query {
  const parameters = new Map<string, string[]>();
  const malformed: string[] = [];
  for (const part of query.split("&")) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const name = decodeForm(equals === -1 ? part : part.slice(0, equals));
    const value = equals === -1 ? "" : decodeForm(part.slice(equals + 1));
    if (name === undefined || value === undefined) {
      malformed.push(name ?? part);
      continue;
    }
    const values = parameters.get(name);
    if (values === undefined) parameters.set(name, [value]);
    else values.push(value);
  }
  return { parameters, malformed };
}

/** The first value of a parameter; undefined without one that can be decoded. */
export function queryValue(query: string, name: string): string | undefined {
  for (const part of query.split("&")) {
    const equals = part.indexOf("=");
    if (decodeForm(equals === -1 ? part : part.slice(0, equals)) === name)
      return equals === -1 ? "" : decodeForm(part.slice(equals + 1));
  }
  return undefined;
}

function decodeForm(text: string): string | undefined {
  try {
    return decodeURIComponent(text.includes("+") ? text.replaceAll("+", " ") : text);
  } catch {
    return undefined;
  }
}

function invalid(field: string, description: string): Violation {
  return { field, description, reason: "INVALID_VALUE" };
}
