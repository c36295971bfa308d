/** A run as it lies in a memory sink: entries and bodies, read back by the documented formats alone. */
import { inflateRawSync } from "node:zlib";
import type { Entry } from "../../src/run/entry.ts";
import type { PlantRecord } from "../../src/run/plant-record.ts";

export type ReadRun = {
  readonly entries: Entry[];
  readonly plants: PlantRecord[];
  readonly body: (digest: string) => string;
};

export function readRun(files: ReadonlyMap<string, Buffer>): ReadRun {
  const lines = (name: string) =>
    (files.get(name) as Buffer)
      .toString("utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  const pack = files.get("blobs.pack") as Buffer;
  const bodies = new Map<string, string>();
  for (const { digest, offset, stored, deflated } of lines("blobs.idx")) {
    const bytes = pack.subarray(offset, offset + stored);
    bodies.set(digest, (deflated ? inflateRawSync(bytes) : bytes).toString("utf8"));
  }
  return {
    entries: lines("entries.jsonl"),
    plants: lines("plants.jsonl"),
    body: (digest) => {
      const text = bodies.get(digest);
      if (text === undefined) throw new Error(`no body ${digest}`);
      return text;
    },
  };
}
