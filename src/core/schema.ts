/** Shapes on disk: TypeBox schemas, compiled; a value that does not fit is refused by key and path. */
import type { Static, TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import { limits } from "./limits.ts";
import { type Complain, type Place, strict } from "./refusal.ts";
import { clip } from "./words.ts";

/** Where the value at a JSON pointer stands. */
export type PlaceOf = (pointer: string) => Place;

const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>();

/** The value with its type, where it fits; otherwise each misfit goes to `complain`, and the answer is undefined. */
export function fit<S extends TSchema>(
  schema: S,
  value: unknown,
  at: Place | PlaceOf,
  complain: Complain = strict,
): Static<S> | undefined {
  const check = checker(schema);
  if (check.Check(value)) return value as Static<S>;
  const placeOf: PlaceOf = typeof at === "string" ? () => at : at;
  const seen = new Set<string>();
  const tell = (errors: Iterable<ValueError>): void => {
    for (const error of errors) {
      const meant = meantVariant(error);
      if (meant !== undefined) tell(meant);
      else if (!seen.has(error.path) && seen.size < limits.refusals) {
        seen.add(error.path);
        tellOne(error, value, placeOf, complain);
      }
    }
  };
  tell(check.Errors(value));
  return undefined;
}

function tellOne(error: ValueError, root: unknown, placeOf: PlaceOf, complain: Complain): void {
  const place = placeOf(error.path);
  const field = dotted(error.path);
  const { schema, type } = error;
  const description = schema["description"] as string | undefined;
  if (type === ValueErrorType.ObjectAdditionalProperties && schema["properties"] !== undefined) {
    complain("UnknownKey", { place, key: field, known: Object.keys(schema["properties"]) });
  } else if (type === ValueErrorType.ObjectAdditionalProperties) {
    const pattern = Object.keys(schema["patternProperties"] ?? {}).join(" or ");
    const found = `the key ${brief(unescape_(error.path.slice(error.path.lastIndexOf("/") + 1)))}`;
    complain("FieldInvalid", {
      place,
      field,
      found,
      expected: description ?? `a key that matches ${pattern}`,
    });
  } else if (type === ValueErrorType.ObjectRequiredProperty) {
    const parent = error.path.slice(0, error.path.lastIndexOf("/"));
    const present = Object.keys(at_(root, parent) ?? {});
    complain("KeyMissing", { place: placeOf(parent), key: field, present });
  } else {
    const expected = description ?? error.message.replace(/^Expected /, "");
    complain("FieldInvalid", { place, field, found: brief(error.value), expected });
  }
}

/** Of a union of objects, the misfits of the variant whose keys the value shares most: the one that was meant. */
function meantVariant(error: ValueError): Iterable<ValueError> | undefined {
  const { value } = error;
  if (error.type !== ValueErrorType.Union || value === null || typeof value !== "object") return undefined;
  const variants = (error.schema["anyOf"] ?? []) as readonly TSchema[];
  const shared = variants.map(
    (variant) => Object.keys(variant["properties"] ?? {}).filter((key) => Object.hasOwn(value, key)).length,
  );
  const most = Math.max(0, ...shared);
  return most === 0 ? undefined : error.errors[shared.indexOf(most)];
}

/** Whether a value fits, with the first misfit in words: for arguments that an agent sends. */
export function misfit(schema: TSchema, value: unknown): string | undefined {
  const check = checker(schema);
  if (check.Check(value)) return undefined;
  const error = check.Errors(value).First();
  return error === undefined
    ? "does not fit its schema"
    : `${dotted(error.path) || "arguments"}: ${error.message}, found ${brief(error.value)}`;
}

function checker(schema: TSchema): TypeCheck<TSchema> {
  let check = compiled.get(schema);
  if (check === undefined) {
    check = TypeCompiler.Compile(schema);
    compiled.set(schema, check);
  }
  return check;
}

function at_(value: unknown, pointer: string): Record<string, unknown> | undefined {
  let here: unknown = value;
  for (const part of pointer.split("/").slice(1))
    here = (here as Record<string, unknown> | null)?.[unescape_(part)];
  return here !== null && typeof here === "object" ? (here as Record<string, unknown>) : undefined;
}

/** `tables.weather.key` of `/tables/weather/key`. */
export function dotted(pointer: string): string {
  return pointer.split("/").slice(1).map(unescape_).join(".");
}

function unescape_(part: string): string {
  return part.replace(/~1/g, "/").replace(/~0/g, "~");
}

function brief(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return clip(text, 80);
}
