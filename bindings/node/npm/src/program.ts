/** Becomes the program of this platform. */

import type { Native } from "./native.js";
import { nativeModule, program } from "./platform.js";

/** Replaces this process by the command with these arguments. Where Node cannot do that, the native module does. */
export function execve(arguments_: readonly string[]): never {
  if (typeof process.execve === "function") process.execve(program, [program, ...arguments_]);
  const native = require(nativeModule) as Native;
  native.exec(program, [...arguments_]);
  throw new Error(`${program} did not start`);
}
