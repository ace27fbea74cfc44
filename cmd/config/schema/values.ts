import { z } from "zod";
import { maxTimerMs } from "../../../base/async/clock.ts";
import { shortName, shortNameRule } from "../../../base/text/short-name.ts";

/** The path of a file or folder. A relative path starts at the folder of the configuration file. */
export const filePath = () => z.string().min(1).meta({ path: true });
/** The path of a file that is read once. */
export const readPath = () => filePath().meta({ path: true, read: true });
export const bytes = () => z.int().min(1);
export const count = () => z.int().min(1);
/** Timers of Node accept no longer delay. */
export const milliseconds = () => z.int().min(0).max(maxTimerMs);
export const name = () => z.string().regex(shortName, shortNameRule);
export const digest = (of: "key" | "token") =>
  z.string().regex(/^[0-9a-f]{64}$/i, `must be the SHA-256 of the ${of} as 64 hexadecimal digits`);
/** The name of a schema or a database. */
export const identifier = () =>
  z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/, "must be 1 to 63 small letters, digits and underscores");

/** @param description with the default */
export const postgresUrl = (description: string) =>
  z
    .string()
    .min(1)
    .meta({ secret: true })
    .optional()
    .meta({ description, examples: ["postgresql://user:password@host:5432/database?sslmode=verify-full"] });
/** Connections of one process. */
export const connections = () => z.int().min(1).max(1_000);

/** Makes a section optional, with the defaults of its own values. */
export const section = <S extends z.ZodType>(schema: S) => schema.prefault({} as z.input<S>);
