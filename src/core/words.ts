/** Words from outside, as a record or a message can hold them. */

/** At most `most` characters, well-formed Unicode, `...` at the end of what was cut. */
export function clip(text: string, most: number): string {
  return (text.length > most ? `${text.slice(0, most - 3)}...` : text).toWellFormed();
}

/** Text from outside as a terminal may show it: nothing in it moves the cursor, hides, or turns the direction of text. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\ufffd");
}
