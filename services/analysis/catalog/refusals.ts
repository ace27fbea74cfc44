import { Code } from "@connectrpc/connect";
import { InvalidFieldsError } from "../../../base/rpc/invalid-fields.ts";
import { knownNames } from "../../../base/text/known-names.ts";
import { quoteText } from "../../../base/text/quote.ts";
import { AnalysisRefusal, returnCodes } from "../refusal/refusal.ts";

/** Runs a method whose invalid fields become a refusal. */
export async function refuseInvalidFields<T>(method: () => Promise<T>): Promise<T> {
  try {
    return await method();
  } catch (error) {
    if (!(error instanceof InvalidFieldsError)) throw error;
    const { message, violations } = error;
    throw new AnalysisRefusal(returnCodes.parameter, message, { violations, cause: error });
  }
}

/** Returns the error for an unknown event or property. @param known all names, which the caller can list */
export function refuseUnknown(
  field: "event" | "property",
  name: string,
  known: () => readonly string[],
): AnalysisRefusal {
  const message = `${field} ${quoteText(name)} is unknown, ${knownNames(name, known())}`;
  const status = { code: Code.NotFound, reason: `${field.toUpperCase()}_UNKNOWN` };
  return new AnalysisRefusal(returnCodes.parameter, message, { status });
}

/** Returns the error for a project whose data is elsewhere. */
export function refusePlatform(projectId: number): AnalysisRefusal {
  const message = `project ${projectId} is served by a platform, which has its own catalogue`;
  const status = { code: Code.FailedPrecondition, reason: "PROJECT_ON_PLATFORM" };
  return new AnalysisRefusal(returnCodes.parameter, message, { status });
}
