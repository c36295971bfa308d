/** Tool calls of a hostile reader: near the truth by the tools' own schemas, then spoilt; or whatever JSON can say. */
import fc from "fast-check";
import type { Json } from "../../src/core/canonical.ts";
import { formatInstant, type Instant, instant, MICROS_PER_DAY } from "../../src/core/instant.ts";
import { limits } from "../../src/core/limits.ts";
import type { Cell } from "../../src/core/row-ref.ts";
import { toolSchemas } from "../../src/store/tools.ts";
import type { RandomTable } from "../support/random-table.ts";

/** What is sent may be less than JSON: a reader in this process can hand over anything. */
export type HostileCall = { readonly tool: unknown; readonly args: unknown };

/** What a reader can know or guess of a store: words that are right, so that a call is wrong in one place only. */
export type Truth = {
  readonly tables: readonly string[];
  readonly columns: readonly string[];
  readonly instants: readonly string[];
  readonly cells: Readonly<Record<string, readonly Cell[]>>;
};

export function truthOf(table: RandomTable, horizon: Instant, others: readonly string[]): Truth {
  const columns = Object.keys(table.rows[0]?.cells ?? {});
  const shifts = [-MICROS_PER_DAY, -1, 0, 1, MICROS_PER_DAY];
  const moments = [horizon, ...table.rows.flatMap((row) => [row.valid, row.available])];
  const cellsOf = (name: string) => table.rows.map((row) => row.cells[name] ?? null);
  return {
    tables: [table.schema.name, table.schema.name, table.schema.name, ...others],
    columns,
    instants: moments.flatMap((at) => shifts.map((shift) => formatInstant(instant(at + shift)))),
    cells: Object.fromEntries(columns.map((name) => [name, cellsOf(name)])),
  };
}

const FAR = ["9999-12-31T23:59:59.999999Z", "0001-01-01T00:00:00Z", "2014-03-08T00:00:00+14:00"];
const NO_INSTANTS = [
  "+275760-09-13T00:00:00Z",
  "2014-03-08",
  "2014-02-30T00:00:00Z",
  "now",
  "∞",
  "1394236800",
];
const NAMES = ["__proto__", "constructor", "toString", "hasOwnProperty", "prototype", "length", "valueOf"];
const TEXTS = [
  "",
  " ",
  "*",
  "-",
  "--x",
  "\0",
  "\ud800",
  "a\udfff",
  "\u202e",
  "é",
  "ı",
  "1 OR 1=1",
  "../t",
  "$ne",
];
const NUMBERS = [-0, -1, 0.5, 2 ** 31, 2 ** 53, 2 ** 53 + 2, 1e21, 1e308, 5e-324, Number.parseFloat("1e309")];

const names = fc.constantFrom(...NAMES);
const wildText = fc.oneof(
  names,
  fc.constantFrom(...TEXTS, ...FAR, ...NO_INSTANTS),
  fc.string({ unit: "binary", maxLength: 12 }),
);
const wildScalar = fc.oneof(
  wildText,
  fc.constantFrom<Json>(...NUMBERS, Number.NaN),
  fc.double(),
  fc.constantFrom<Json>(null, true, false),
);
const nested = (depth: number, inner: Json): Json => {
  let value = inner;
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : Object.fromEntries([["where", value]]);
  return value;
};
const depths = [
  1,
  3,
  limits.jsonDepth - 2,
  limits.jsonDepth - 1,
  limits.jsonDepth,
  limits.jsonDepth + 1,
  5_000,
];
const deep = fc.constantFrom(
  ...depths.flatMap((depth) => [1, "__proto__", Number.NaN].map((inner) => nested(depth, inner))),
);
const bulky = fc.constantFrom<Json>(
  "x".repeat(limits.argumentBytes - 40),
  "😀".repeat(limits.argumentBytes / 4),
  Array.from({ length: limits.whereValues + 1 }, () => 1),
  Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i])),
);
const wildObject = (value: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.array(fc.tuple(wildText, value), { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs));

/** JSON of any shape, and some values that no JSON text makes. */
const wild: fc.Arbitrary<Json> = fc.oneof(
  { weight: 40, arbitrary: wildScalar },
  { weight: 20, arbitrary: fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json> },
  { weight: 20, arbitrary: wildObject(wildScalar) },
  { weight: 10, arbitrary: fc.array(wildScalar, { maxLength: 4 }) },
  { weight: 4, arbitrary: deep },
  { weight: 1, arbitrary: bulky },
);

type Schema = { readonly [key: string]: Json };

/** Values that a JSON schema takes, nearly always: drawn from the truth where a word says what is meant. */
function fitting(schema: Schema, truth: Truth, about = ""): fc.Arbitrary<Json> {
  if ("const" in schema) return fc.constant(schema["const"] as Json);
  if ("enum" in schema) return fc.constantFrom(...(schema["enum"] as readonly Json[]));
  const variants = (schema["anyOf"] ?? schema["oneOf"] ?? null) as readonly Schema[] | null;
  if (variants !== null) return fc.oneof(...variants.map((variant) => fitting(variant, truth, about)));
  const meant = `${about} ${schema["description"] ?? ""}`;
  switch (schema["type"]) {
    case "object":
      return objects(schema, truth);
    case "array":
      return fc.array(fitting((schema["items"] ?? {}) as Schema, truth, meant), { maxLength: 3 });
    case "string":
      return fc.oneof({ weight: 30, arbitrary: words(meant, truth) }, { weight: 1, arbitrary: wildText });
    case "integer":
    case "number":
      return numbers(schema);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    default:
      return wild;
  }
}

function words(meant: string, truth: Truth): fc.Arbitrary<string> {
  const descending = truth.columns.map((name) => `-${name}`);
  const columns = meant.includes("`-`") ? [...truth.columns, ...descending] : truth.columns;
  if (meant.startsWith("query ")) return queries(truth);
  if (/\binstant\b/.test(meant)) return fc.constantFrom(...truth.instants, ...truth.instants, ...FAR);
  if (/\btables?\b/.test(meant)) return fc.constantFrom(...truth.tables);
  if (/\bcolumns?\b/.test(meant)) return fc.constantFrom(...columns);
  return fc.constantFrom(...truth.tables, ...columns, ...descending, ...truth.instants);
}

/** What stands in the table, as it stands and word by word. */
function queries(truth: Truth): fc.Arbitrary<string> {
  const cells = Object.values(truth.cells)
    .flat()
    .filter((cell) => typeof cell === "string" && cell !== "");
  const texts = (cells.length === 0 ? truth.columns : cells) as readonly string[];
  return fc.constantFrom(...texts, ...texts.flatMap((text) => text.split(/\s+/)));
}

function numbers(schema: Schema): fc.Arbitrary<number> {
  const least = (schema["minimum"] ?? 0) as number;
  const most = (schema["maximum"] ?? 2 ** 31) as number;
  const small = fc.integer({ min: least, max: Math.min(most, least + 5) });
  const edges = fc.constantFrom(least, most, least - 1, most + 1, most - 1, -0, 2 ** 53, 0.5);
  return fc.oneof({ weight: 12, arbitrary: small }, { weight: 1, arbitrary: edges });
}

/** What must be there, and up to three keys of what may. */
function objects(schema: Schema, truth: Truth): fc.Arbitrary<Json> {
  const open = Object.values((schema["patternProperties"] ?? {}) as Readonly<Record<string, Schema>>);
  if (open.length > 0) return dictionaries(open, truth);
  const required = (schema["required"] ?? []) as readonly string[];
  const pairs = Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, Schema>>).map(
    ([name, own]) => ({ name, pair: fc.tuple(fc.constant(name), fitting(own, truth, name)) }),
  );
  const must = pairs.filter(({ name }) => required.includes(name)).map(({ pair }) => pair);
  const may = pairs.filter(({ name }) => !required.includes(name)).map(({ pair }) => pair);
  return fc
    .tuple(fc.tuple(...must), fc.array(fc.oneof(...may), { maxLength: 3 }))
    .map(([always, some]) => Object.fromEntries([...some, ...always]));
}

/** A column's name to what stands in it, nearly always. */
function dictionaries(values: readonly Schema[], truth: Truth): fc.Arbitrary<Json> {
  const any = fc.oneof(...values.map((own) => fitting(own, truth)));
  const pairs = truth.columns.map((name) => {
    const cell = fc.constantFrom<Json>(...(truth.cells[name] ?? [null]));
    const right = fc.oneof(
      { weight: 2, arbitrary: cell },
      { weight: 1, arbitrary: fc.array(cell, { maxLength: 3 }) },
    );
    const value = fc.oneof({ weight: 9, arbitrary: right }, { weight: 1, arbitrary: any });
    return fc.tuple(fc.constant(name), value);
  });
  return fc.array(fc.oneof(...pairs), { maxLength: 2 }).map((drawn) => Object.fromEntries(drawn));
}

/** One place of a value is lost, renamed or replaced. */
function spoilt(value: Json, die: number, other: Json, name: string): Json {
  if (value === null || typeof value !== "object") return other;
  if (Array.isArray(value)) return [...(value as readonly Json[]), other];
  const pairs = Object.entries(value as Readonly<Record<string, Json>>);
  const at = pairs.length === 0 ? -1 : die % pairs.length;
  const [key, inner] = pairs[at] ?? [name, null];
  const place: [string, Json][] =
    die % 7 === 0
      ? []
      : die % 7 === 1
        ? [[name, inner]]
        : die % 7 === 2
          ? [[key, spoilt(inner, Math.floor(die / 7), other, name)]]
          : [[key, other]];
  return Object.fromEntries([...pairs.filter((_pair, i) => i !== at), ...place]);
}

/** Half right, half wrong in one place, of every tool that there is. */
export function likelyCalls(truth: Truth): fc.Arbitrary<HostileCall> {
  const made = toolSchemas.map(({ name, schema }) => {
    const right = fitting(schema as Schema, truth);
    const wrong = fc
      .tuple(right, fc.nat(), wild, fc.oneof(names, fc.constantFrom("as_of", "horizon", "available_at")))
      .map(([args, die, other, renamed]) => spoilt(args, die, other, renamed));
    return fc.record({
      tool: fc.constant<unknown>(name),
      args: fc.oneof(
        { weight: 2, arbitrary: right },
        { weight: 1, arbitrary: wrong },
      ) as fc.Arbitrary<unknown>,
    });
  });
  return fc.oneof(...made);
}

/** Arguments of no schema; many name a table that is there, or they would all end at its name. */
export function rawCalls(truth: Truth): fc.Arbitrary<HostileCall> {
  const keys = toolSchemas.flatMap(({ schema }) =>
    Object.keys(((schema as Schema)["properties"] ?? {}) as Schema),
  );
  const tool = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom<unknown>(...toolSchemas.map(({ name }) => name)) },
    { weight: 1, arbitrary: wildText },
    { weight: 1, arbitrary: notJson },
  );
  const key = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...keys) },
    { weight: 1, arbitrary: wildText },
  );
  const value = fc.oneof(
    { weight: 3, arbitrary: wild },
    { weight: 2, arbitrary: wildObject(wild) },
    { weight: 2, arbitrary: fc.constantFrom(...truth.columns, ...truth.instants) },
  );
  const near = fc
    .tuple(fc.constantFrom(...truth.tables), fc.array(fc.tuple(key, value), { maxLength: 3 }))
    .map(([table, pairs]) => Object.fromEntries([["table", table], ...pairs]) as Json);
  const searching = fc
    .tuple(queries(truth), fc.array(fc.tuple(key, value), { maxLength: 2 }))
    .map(([query, pairs]) => Object.fromEntries([["query", query], ...pairs]) as Json);
  const args = fc.oneof(
    { weight: 2, arbitrary: searching as fc.Arbitrary<unknown> },
    { weight: 6, arbitrary: near as fc.Arbitrary<unknown> },
    { weight: 4, arbitrary: wild as fc.Arbitrary<unknown> },
    { weight: 1, arbitrary: notJson },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom(...keys, "table"), notJson).map(([k, v]) => ({ [k]: v })),
    },
  );
  return fc.record({ tool, args });
}

const cycle: { self?: unknown } = {};
cycle.self = cycle;
const NOT_JSON: readonly (() => unknown)[] = [
  () => undefined,
  () => 1n,
  () => Symbol("t"),
  () => () => "t",
  () => new Date(0),
  () => new Map([["table", "t"]]),
  () => new Uint8Array(3),
  () => Array(3),
  () => cycle,
  () => new String("t"),
  () => Object.create({ table: "t" }),
  () => Object.create(null, { table: { value: "t", enumerable: true } }),
  () => ({
    get table() {
      throw new RangeError("no");
    },
  }),
  () => ({ toJSON: () => ({ table: "t" }), toString: null }),
  () => new Proxy({}, { ownKeys: () => ["table"] }),
];
const notJson: fc.Arbitrary<unknown> = fc.constantFrom(...NOT_JSON).map((make) => make());
