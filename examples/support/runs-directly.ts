import { pathToFileURL } from "node:url";

/** Whether a module is what Node was started with, and not imported by another one. */
export function runsDirectly(moduleURL: string): boolean {
  const [, script] = process.argv;
  return script !== undefined && pathToFileURL(script).href === moduleURL;
}
