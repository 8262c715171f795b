/** Finds the package of this platform, and loads nothing of it. */

import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/** The platforms that there is a package for, and what the C library is called in its name. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  "linux-x64": ["gnu", "musl"],
  "linux-arm64": ["gnu", "musl"],
};

/** The name of the package, and its folder. */
function find(): { name: string; folder: string } {
  const platform = `${process.platform}-${process.arch}`;
  const libraries = PACKAGES[platform];
  if (libraries === undefined) {
    const known = Object.keys(PACKAGES).join(", ");
    throw new Error(`toolcrib does not run on ${platform}. It runs on ${known}.`);
  }
  for (const library of libraries) {
    const name = `@toolcrib/${platform}-${library}`;
    try {
      return { name, folder: dirname(require.resolve(`${name}/package.json`)) };
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  throw new Error(
    `The package @toolcrib/${platform}-${libraries[0]} is missing. It is an optional dependency of toolcrib: install again ` +
      "without --omit=optional, on the platform that the program runs on.",
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND";
}

const { name, folder } = find();

/** The name of the native module. */
export const nativeModule: string = name;

/** The program `toolcrib` of this platform. */
export const program: string = join(folder, "toolcrib");

/** Where this package and its native half lie: nothing that an agent may change. */
export const ownFolders: readonly string[] = [
  ...new Set([folder, join(__dirname, "../..")].flatMap((own) => [own, realpathSync(own)])),
];
