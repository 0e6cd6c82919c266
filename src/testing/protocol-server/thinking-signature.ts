import { createHash } from "node:crypto";

const PREFIX = "local-";

/** Stands for the provider's signature of a thinking block. */
export function signatureOf(thinking: string): string {
  return PREFIX + createHash("sha256").update(thinking).digest("base64");
}

/**
 * Whether a block may carry this signature.
 *
 * A recorded conversation brings signatures of the provider, which nobody else
 * can check: they pass.
 */
export function isSigned(thinking: string, signature: unknown): boolean {
  return (
    typeof signature === "string" &&
    signature !== "" &&
    (!signature.startsWith(PREFIX) || signature === signatureOf(thinking))
  );
}
