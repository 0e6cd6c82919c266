import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";

export interface ModuleGraph {
  /** Every file that the entry reaches, itself included. */
  files: string[];
  /** What is imported by name from other packages and from Node. */
  packages: string[];
}

/**
 * Follows the import and require statements of a built file.
 *
 * Throws where a relative import leads to no file.
 */
export function moduleGraph(entry: string): ModuleGraph {
  const files = new Set<string>([entry]);
  const packages = new Set<string>();
  for (const file of files) {
    for (const specifier of importsOf(file)) {
      if (!specifier.startsWith(".")) {
        packages.add(specifier);
        continue;
      }
      const target = join(dirname(file), specifier);
      if (!existsSync(target)) {
        throw new Error(`${file} imports ${specifier}, which does not exist`);
      }
      files.add(target);
    }
  }
  return { files: [...files], packages: [...packages].sort() };
}

function importsOf(file: string): string[] {
  const source = readFileSync(file, "utf8");
  return ts
    .preProcessFile(source, true, true)
    .importedFiles.map((reference) => reference.fileName);
}
