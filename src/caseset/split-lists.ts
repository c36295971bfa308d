/** Splits of somebody's own in a file: one JSON object, `{"splits":[{"train":["a"],"test":["b"]}]}`, or what `split` prints. */
import { Type } from "@sinclair/typebox";
import { limits } from "../core/limits.ts";
import { readText } from "../core/lines.ts";
import { type Place, refuse } from "../core/refusal.ts";
import { fit } from "../core/schema.ts";
import { parseJson } from "../core/strict-json.ts";
import type { SplitLists } from "./split-audit.ts";

const strictly = { additionalProperties: false } as const;
const ids = Type.Array(Type.String(), { description: "a list of ids, each a text" });
const other = Type.Optional(Type.Unknown());

/** What is not looked at is what our own splits have beside their lists. */
const ListsOnDisk = Type.Object(
  {
    splits: Type.Array(
      Type.Object(
        {
          train: ids,
          test: ids,
          split: other,
          groups: other,
          paths: other,
          purged: other,
          embargoed: other,
          unused: other,
          empty: other,
        },
        strictly,
      ),
      { description: "a list of objects with train and test" },
    ),
    cases: other,
    definition: other,
    digest: other,
    groups: other,
    paths: other,
  },
  strictly,
);

/** Reads the file strictly; any other key is refused, and so is a file without a split. */
export function readSplitLists(file: string, place: Place): readonly SplitLists[] {
  const text = readText(file, place, limits.splitFileBytes) as string;
  const lists = fit(ListsOnDisk, parseJson(text, place), place) as { splits: readonly SplitLists[] };
  if (lists.splits.length === 0)
    refuse("FieldInvalid", { place, field: "splits", found: "[]", expected: "at least 1 split" });
  return lists.splits;
}
