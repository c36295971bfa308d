/** What was meant by a text that is no ISO 8601 duration, for the hint of its refusal. */

/** `5d` is `P5D`: what was meant by a number and a unit, or by a duration in small letters. */
export function durationMeant(found: string): string | undefined {
  const capital = found.toUpperCase();
  if (found !== capital && SPELLED.test(capital)) return `write ${capital}`;
  const [, count, unit] = /^(\d{1,5})\s*([a-z]+)$/i.exec(found.trim()) ?? [];
  const name = unit?.toLowerCase().replace(/(?<=..)s$/, "") ?? "";
  const spelled = UNITS.find(([units]) => units.includes(name))?.[1];
  return spelled === undefined
    ? undefined
    : `write ${spelled.replace("N", String(count))} for ${count} ${unit}`;
}

const SPELLED = /^P(?=.)(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+S)?)?$/;

const UNITS: readonly (readonly [units: readonly string[], spelled: string])[] = [
  [["d", "day"], "PND"],
  [["w", "week"], "PNW"],
  [["mo", "month"], "PNM"],
  [["y", "yr", "year"], "PNY"],
  [["h", "hr", "hour"], "PTNH"],
  [["min", "minute"], "PTNM"],
  [["s", "sec", "second"], "PTNS"],
];
