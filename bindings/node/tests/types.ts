// What the types say, checked by the compiler alone: each line marked as an error must be one.

import { expectTypeOf } from "expect-type";
import { Toolbox, ToolcribError, type Change, type ErrorKind, type Image, type Json, type ToolResult } from "toolcrib";
import { tools } from "toolcrib/ai";
import { mastraTools } from "toolcrib/mastra";
import { z } from "zod";

const box = new Toolbox("/", { journal: false });
const objects = new Toolbox(["/", new URL("file:///tmp")], { dialect: "ekacode", config: { more_tools: true } });

export async function calls(): Promise<void> {
  const read = await box.call("Read", { file_path: "/a", limit: 1 });
  expectTypeOf(read.toString()).toEqualTypeOf<string>();
  if (read.success) {
    expectTypeOf(read.output).toEqualTypeOf<string>();
    expectTypeOf(read.metadata.total_lines).toEqualTypeOf<number | undefined>();
    expectTypeOf(read.images).toEqualTypeOf<readonly Image[]>();
    expectTypeOf(read.images[0]!.data).toEqualTypeOf<Uint8Array>();
  } else {
    expectTypeOf(read.errorKind).toEqualTypeOf<ErrorKind>();
    expectTypeOf(read.hint).toEqualTypeOf<string | null>();
    expectTypeOf(read.toError()).toEqualTypeOf<ToolcribError>();
  }
  expectTypeOf(read.check().output).toEqualTypeOf<string>();

  const listed = (await objects.call("ls", { dirPath: "." })).check();
  expectTypeOf(listed.output.entries![0]!.size).toEqualTypeOf<number | undefined>();
  expectTypeOf((await objects.call("grep", { pattern: "x", outputMode: "content" })).check().output).toBeObject();

  // @ts-expect-error: a parameter is missing
  await box.call("Read", {});
  // @ts-expect-error: a parameter is of another type
  await box.call("Read", { file_path: 1 });
  // @ts-expect-error: there is no such parameter
  await box.call("Read", { file_path: "/a", lines: 1 });
  // @ts-expect-error: the tool is one of another dialect
  await box.call("read", { filePath: "/a" });
  // @ts-expect-error: a value is none of the choices
  await objects.call("grep", { pattern: "x", outputMode: "everything" });
  // @ts-expect-error: there is no such dialect
  new Toolbox("/", { dialect: "standart" });
  // @ts-expect-error: there is no such key
  new Toolbox("/", { config: { more_tool: true } });

  const name: string = "Read";
  expectTypeOf(await box.run(name, { anything: 1 })).toEqualTypeOf<ToolResult>();
  expectTypeOf(await box.log()).toEqualTypeOf<Change[]>();
  expectTypeOf(await box.undo()).toEqualTypeOf<Change>();
  box.on("change", (change) => expectTypeOf(change).toEqualTypeOf<Change>());
  // @ts-expect-error: there is no such event
  box.on("changes", () => {});
}

export async function ownTools(): Promise<void> {
  const count = box.register({
    name: "count",
    description: "Counts",
    parameters: z.object({ text: z.string(), most: z.number().default(3) }),
    run({ text, most }, call) {
      expectTypeOf(text).toEqualTypeOf<string>();
      expectTypeOf(most).toEqualTypeOf<number>();
      expectTypeOf(call.signal).toEqualTypeOf<AbortSignal>();
      return { words: text.length };
    },
  });
  const counted = (await count.call({ text: "a" })).check();
  expectTypeOf(counted.output).toEqualTypeOf<{ words: number }>();
  // @ts-expect-error: a parameter is missing
  await count.call({});
  box.register({
    name: "plain",
    description: "Plain",
    parameters: { type: "object", properties: {} },
    run: (parameters) => expectTypeOf(parameters["x"]).toEqualTypeOf<Json | undefined>() as unknown as string,
  });
  // @ts-expect-error: a function is nothing that JSON has
  box.register({ name: "bad", description: "x", parameters: {}, run: () => () => {} });
}

export function approvers(): void {
  box.using({ approver: async (request) => (request.diff === null ? false : "always") });
  box.using({ approver: ({ changes }) => ({ deny: `${changes.length}` }) });
  box.using({ approver: ({ changes: [change] }) => ({ edit: { [change!.path]: { keep: change!.hunks.slice(1).map(({ id }) => id) } } }) });
  box.using({ approver: () => ({ edit: { "/a": { text: "" }, "/b": { keep: [] } } }) });
  // @ts-expect-error: either the hunks or the text
  box.using({ approver: () => ({ edit: { "/a": { text: "", keep: [] } } }) });
  // @ts-expect-error: that is no answer
  box.using({ approver: () => "yes" });
}

export function frameworks(): void {
  type Input = Parameters<NonNullable<ReturnType<typeof tools<"standard">>["Read"]["execute"]>>[0];
  expectTypeOf<Input["file_path"]>().toEqualTypeOf<string>();
  expectTypeOf(mastraTools(objects).read.id).toEqualTypeOf<string>();
}
