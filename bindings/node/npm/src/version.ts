/** The version of the engine, which is that of this package. */

import { native } from "./native.js";

export const version: string = native.version();
