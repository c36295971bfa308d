/** The names of a table's entities: of all that any row of it is of, at whatever instant. */
import type { Table } from "./table.ts";
import { cellOf } from "./table.ts";

const known = new WeakMap<Table, ReadonlySet<string>>();

/** As positions spell them; none, of a table without entities. O(n) once. */
export function knownNames(table: Table): ReadonlySet<string> {
  let names = known.get(table);
  if (names === undefined) {
    names = namesIn(table);
    known.set(table, names);
  }
  return names;
}

function namesIn(table: Table): ReadonlySet<string> {
  const names = new Set<string>();
  if (table.entity === null) return names;
  for (let version = 0; version < table.count; version++) {
    const cell = cellOf(table, version, table.entity) ?? null;
    if (cell !== null) names.add(String(cell));
  }
  return names;
}
