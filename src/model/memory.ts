/** Local artifacts of the recall reader: outcomes of cases resolved by a cutoff, as JSON lines with a digest. */
import * as path from "node:path";
import { Type } from "@sinclair/typebox";
import { sha256Hex } from "../core/digest.ts";
import { formatInstant, parseInstant } from "../core/instant.ts";
import { limits } from "../core/limits.ts";
import { readText } from "../core/lines.ts";
import { type Complain, type Place, strict } from "../core/refusal.ts";
import { fit } from "../core/schema.ts";
import { parseJson } from "../core/strict-json.ts";
import { cutoffInstant, formatCutoff } from "./cutoff.ts";
import type { Family, ModelCheckpoint } from "./family.ts";

const MemoryOnDisk = Type.Object(
  {
    id: Type.String({ minLength: 1 }),
    outcome: Type.Union([Type.Literal(0), Type.Literal(1)], { description: "0 or 1" }),
    resolved_at: Type.String(),
  },
  { additionalProperties: false },
);

export type Memory = ReadonlyMap<string, 0 | 1>;
export type Artifact = { readonly sha256: string; readonly text: string };
const ARTIFACT_BYTES = 512 * 1024 * 1024;

/** Each checkpoint's memory and bytes, verified; an outcome resolved after the checkpoint's cutoff is refused. */
export function loadMemories(
  family: Family,
  complain: Complain = strict,
): Map<string, { memory: Memory; artifact: Artifact }> {
  const memories = new Map<string, { memory: Memory; artifact: Artifact }>();
  for (const checkpoint of family.checkpoints) {
    if (checkpoint.artifact === null) {
      const row = family.onDisk.checkpoints.find(({ snapshot }) => snapshot === checkpoint.snapshot);
      complain("KeyMissing", {
        place: checkpoint.place,
        key: `${checkpoint.snapshot}: artifact`,
        present: Object.keys(row ?? {}),
      });
      continue;
    }
    const { file, sha256 } = checkpoint.artifact;
    const shown = path.join(path.dirname(family.place), file);
    const text = readText(path.resolve(family.folder, file), shown, ARTIFACT_BYTES, complain);
    if (text === undefined) continue;
    const found = sha256Hex(text);
    if (found !== sha256) {
      complain("ArtifactDigestMismatch", { place: checkpoint.place, file, declared: sha256, found });
      continue;
    }
    memories.set(checkpoint.snapshot, {
      memory: parseMemory(text, shown, checkpoint, complain),
      artifact: { sha256, text },
    });
  }
  return memories;
}

export function parseMemory(
  text: string,
  shown: Place,
  checkpoint: ModelCheckpoint,
  complain: Complain = strict,
): Memory {
  const memory = new Map<string, 0 | 1>();
  const seen = new Map<string, Place>();
  let number = 0;
  for (const line of text.split("\n")) {
    number++;
    if (line === "") continue;
    const place = `${shown}:${number}`;
    if (line.length > limits.lineBytes)
      complain("LimitExceeded", {
        place,
        what: "bytes of a line",
        found: line.length,
        limit: limits.lineBytes,
      });
    const value = parseJson(line, place, complain);
    const row = value === undefined ? undefined : fit(MemoryOnDisk, value, place, complain);
    const resolvedAt = row && parseInstant(row.resolved_at, place, `memory of ${row.id}`, complain);
    if (row === undefined || resolvedAt === undefined) continue;
    const first = seen.get(row.id);
    if (first !== undefined) complain("CaseDuplicate", { place, id: row.id, first });
    else seen.set(row.id, place);
    if (checkpoint.posttrain !== null && resolvedAt > cutoffInstant(checkpoint.posttrain)) {
      const found = `${formatInstant(resolvedAt)}, the cutoff is ${formatCutoff(checkpoint.posttrain)}`;
      complain("CutoffInvalid", {
        place,
        subject: `memory of ${row.id}`,
        found,
        expected: "an outcome resolved by the cutoff",
      });
    }
    memory.set(row.id, row.outcome);
  }
  return memory;
}
