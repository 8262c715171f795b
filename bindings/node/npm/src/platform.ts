/** Finds the package of this platform, and loads nothing of it. */

import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/** The packages of the platforms. */
const PACKAGES: Readonly<Record<string, string>> = {
  "linux-x64": "@toolcrib/linux-x64-gnu",
  "linux-arm64": "@toolcrib/linux-arm64-gnu",
};

/** The name of the package, and its folder. */
function find(): { name: string; folder: string } {
  const platform = `${process.platform}-${process.arch}`;
  const name = PACKAGES[platform];
  if (name === undefined) {
    const known = Object.keys(PACKAGES).join(", ");
    throw new Error(`toolcrib does not run on ${platform}. It runs on ${known}.`);
  }
  try {
    return { name, folder: dirname(require.resolve(`${name}/package.json`)) };
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  throw new Error(
    `The package ${name} is missing. It is an optional dependency of toolcrib: install again without --omit=optional, on the platform ` +
      "that the program runs on. It needs glibc, so there is none for Alpine Linux.",
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
