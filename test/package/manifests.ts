import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { IDeployment } from "kubernetes-models/apps/v1/Deployment";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import type { IPodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import type { IConfigMap } from "kubernetes-models/v1/ConfigMap";
import { ConfigMap } from "kubernetes-models/v1/ConfigMap";
import type { ISecret } from "kubernetes-models/v1/Secret";
import { Secret } from "kubernetes-models/v1/Secret";
import type { IService } from "kubernetes-models/v1/Service";
import { Service } from "kubernetes-models/v1/Service";
import { parse, parseAllDocuments } from "yaml";
import { packageRoot } from "../../base/package/root.ts";
import { folderWith } from "../cmd/config/load.ts";

const folder = join(packageRoot, "deploy/kubernetes");

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Names of the files that `kubectl apply -f` reads from a folder. */
export const applied = readdirSync(folder)
  .filter((name) => /\.(?:json|ya?ml)$/.test(name))
  .sort();

export const manifests = applied.flatMap((name) =>
  parseAllDocuments(readFileSync(join(folder, name), "utf8")).map((document) => document.toJS() as Manifest),
);

export const deployment = only<IDeployment>("Deployment");
export const budget = only<IPodDisruptionBudget>("PodDisruptionBudget");
export const configMap = only<IConfigMap>("ConfigMap");
export const services = ofKind<IService>("Service");
export const secretExample = parse(readFileSync(join(folder, "secret.yaml.example"), "utf8")) as ISecret;

function ofKind<T>(kind: string): T[] {
  return manifests.filter((manifest) => manifest.kind === kind) as unknown as T[];
}

function only<T>(kind: string): T {
  const [first, ...others] = ofKind<T>(kind);
  if (first === undefined || others.length > 0)
    throw new Error(`there are ${1 + others.length} manifests of kind ${kind}`);
  return first;
}

const models = {
  "apps/v1/Deployment": Deployment,
  "policy/v1/PodDisruptionBudget": PodDisruptionBudget,
  "v1/ConfigMap": ConfigMap,
  "v1/Secret": Secret,
  "v1/Service": Service,
} as const;

/**
 * Checks types, required fields, formats and enumerations as the API server does.
 * @throws Error that names the fault
 */
export function validate(manifest: Manifest): void {
  const name = `${manifest.apiVersion}/${manifest.kind}` as keyof typeof models;
  const { apiVersion: _version, kind: _kind, ...data } = manifest;
  new models[name](data as never).validate();
}

/** Returns the compiler's faults of manifests that are written as literals of their types: fields that do not exist. */
export async function findUnknownFields(checked: readonly Manifest[]): Promise<string> {
  const lines = checked.map((manifest, at) => {
    const { apiVersion, kind } = manifest;
    const file = join(packageRoot, "node_modules/kubernetes-models", apiVersion, `${kind}.js`);
    return `export const manifest${at}: import(${JSON.stringify(file)}).I${kind} = ${JSON.stringify(manifest)};`;
  });
  const cwd = folderWith({ "manifests.ts": lines.join("\n") });
  const tsc = join(packageRoot, "node_modules/typescript/bin/tsc");
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2024"];
  const args = [tsc, ...options, "--types", "", "manifests.ts"];
  return new Promise((resolve) =>
    execFile(process.execPath, args, { cwd }, (error, stdout) =>
      resolve(error === null ? "" : stdout || error.message),
    ),
  );
}
