/** Shapes on disk: TypeBox schemas, compiled; a value that does not fit is refused by key and path. */
import type { Static, TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { ValueErrorType } from "@sinclair/typebox/errors";
import { type Complain, type Place, strict } from "./refusal.ts";

/** Where the value at a JSON pointer stands. */
export type PlaceOf = (pointer: string) => Place;

const compiled = new WeakMap<TSchema, TypeCheck<TSchema>>();
const MOST_ERRORS = 20;

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
  for (const error of check.Errors(value)) {
    if (seen.has(error.path) || seen.size >= MOST_ERRORS) continue;
    seen.add(error.path);
    const place = placeOf(error.path);
    const field = dotted(error.path);
    if (error.type === ValueErrorType.ObjectAdditionalProperties) {
      complain("UnknownKey", { place, key: field, known: Object.keys(error.schema["properties"] ?? {}) });
    } else if (error.type === ValueErrorType.ObjectRequiredProperty) {
      const parent = at_(value, error.path.slice(0, error.path.lastIndexOf("/")));
      complain("KeyMissing", {
        place: placeOf(error.path.slice(0, error.path.lastIndexOf("/"))),
        key: field,
        present: Object.keys(parent ?? {}),
      });
    } else {
      const expected =
        (error.schema["description"] as string | undefined) ?? error.message.replace(/^Expected /, "");
      complain("FieldInvalid", { place, field, found: brief(error.value), expected });
    }
  }
  return undefined;
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
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
