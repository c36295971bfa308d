/** From a loaded case set to a store: sources found and verified, tables read. */
import * as path from "node:path";
import type { CaseSet } from "../caseset/load.ts";
import { fileDigest, type Lookup, locateSource, type Source } from "../caseset/source.ts";
import type { TableSpec } from "../caseset/table-spec.ts";
import { type Complain, strict } from "../core/refusal.ts";
import { createStore, type Store } from "./door.ts";
import { readTable } from "./read-table.ts";
import type { Table } from "./table.ts";

/** Every table of the set; what is refused goes to `complain`, and its table is left out. */
export async function loadStore(set: CaseSet, lookup: Lookup, complain: Complain = strict): Promise<Store> {
  const tables: Table[] = [];
  const located = new Map<string, string | undefined>();
  for (const spec of set.tables.values()) {
    const found = await locate(set, spec, lookup, located, complain);
    if (found === undefined) continue;
    const table = await readTable(spec, found.file, found.place, found.sha256, complain);
    if (table !== undefined) tables.push(table);
  }
  return createStore(tables);
}

async function locate(
  set: CaseSet,
  spec: TableSpec,
  lookup: Lookup,
  located: Map<string, string | undefined>,
  complain: Complain,
) {
  if ("source" in spec.rows) {
    const source = set.sources.get(spec.rows.source) as Source;
    if (!located.has(source.name)) located.set(source.name, await locateSource(source, lookup, complain));
    const file = located.get(source.name);
    return file === undefined
      ? undefined
      : {
          file,
          place: `${source.name}:${path.basename(source.from.replace(/^[a-z]+:/, ""))}`,
          sha256: source.sha256,
        };
  }
  const file = path.resolve(set.folder, spec.rows.file);
  const place = path.join(path.dirname(set.place), spec.rows.file);
  const sha256 = fileDigest(file, place, complain);
  return sha256 === undefined ? undefined : { file, place, sha256 };
}
