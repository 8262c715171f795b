#!/usr/bin/env node
// The command line. This process becomes the program of the platform's package, so signals, the terminal and the exit status are its own.
"use strict";

const { execve } = require("../dist/cjs/program.js");

execve(process.argv.slice(2));
