/** Words from outside, as a record or a message can hold them. */

/** At most `most` characters, well-formed Unicode, `...` at the end of what was cut. */
export function clip(text: string, most: number): string {
  return (text.length > most ? `${text.slice(0, most - 3)}...` : text).toWellFormed();
}
