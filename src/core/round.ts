/** Reported numbers carry twelve significant digits (law 4), so that their bytes do not hang on the last bits. */
import type { Json } from "./canonical.ts";
import { contract } from "./contract.ts";

/** 12 significant digits, as a number; integers within the safe range stay as they are. */
export function round12(value: number): number {
  if (Number.isSafeInteger(value)) return value;
  return Number(value.toPrecision(contract.significantDigits));
}

/** Every number of a JSON value, rounded. */
export function roundAll<T extends Json>(value: T): T {
  if (typeof value === "number") return round12(value) as T;
  if (Array.isArray(value)) return value.map((item) => roundAll(item as Json)) as unknown as T;
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, roundAll(item as Json)]),
    ) as unknown as T;
  }
  return value;
}
