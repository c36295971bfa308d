/** Row references: `table#k1,k2`, with `%`, `,` and `#` percent-encoded. */

export type Cell = string | number | boolean | null;

/** `prices#ACME,2014-06-02` */
export function rowRef(table: string, key: readonly Cell[]): string {
  return `${encode(table)}#${key.map((cell) => encode(String(cell))).join(",")}`;
}

function encode(text: string): string {
  return /[%,#]/.test(text) ? text.replace(/%/g, "%25").replace(/,/g, "%2C").replace(/#/g, "%23") : text;
}
