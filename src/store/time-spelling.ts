/** How a table spells its times: an instant written as another of its cells is. */
import { formatDay, formatInstant, type Instant, MICROS_PER_SECOND } from "../core/instant.ts";
import { firstInstant, localDay, localInstant, localWall } from "../core/local-time.ts";

/** An instant in the spelling of another cell: a date (its first instant then counts), a local time, or RFC 3339. */
export function spelledLike(cell: string, zone: string, at: Instant): { at: Instant; cell: string } {
  if (/^\d{4}-\d{2}-\d{2}$/.test(cell)) {
    const day = localDay(zone, at);
    return { at: firstInstant(zone, day), cell: formatDay(day) };
  }
  const offset = /([+-])(\d{2}):(\d{2})$/.exec(cell);
  if (offset !== null) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3]);
    const wall = at + (offset[1] === "-" ? -minutes : minutes) * 60 * MICROS_PER_SECOND;
    return { at, cell: formatInstant(wall).replace("Z", offset[0]) };
  }
  if (cell.endsWith("Z")) return { at, cell: formatInstant(at) };
  const [unit, length] = cell.length < 19 ? [60 * MICROS_PER_SECOND, 16] : [MICROS_PER_SECOND, 19];
  const wall = Math.floor(localWall(zone, at) / unit) * unit;
  return { at: localInstant(zone, wall), cell: formatInstant(wall).slice(0, length) };
}
