/** Families for tests: rows as a file has them. */
import { type Family, type FamilyOnDisk, parseFamily } from "../../src/model/family.ts";

export type Row = FamilyOnDisk["checkpoints"][number];

/** `placeOf` is the pointer itself, after the file's name. */
export function familyOf(rows: readonly Row[], folder = "."): Family {
  const onDisk = { family: "test", checkpoints: [...rows] };
  return parseFamily(onDisk, folder, "test.yaml", (pointer) => `test.yaml${pointer}`);
}

export const row = (snapshot: string, posttrain?: string, rest: Partial<Row> = {}): Row => ({
  snapshot,
  ...(posttrain === undefined ? {} : { posttrain }),
  ...rest,
});
