/** The limits of everything that comes from outside: one file, so that nothing is unbounded by accident. */

export const limits = {
  /** Bytes of one line of JSON Lines, and of one YAML file. */
  lineBytes: 4_194_304,
  yamlBytes: 4_194_304,
  /** Nesting of any JSON value. */
  jsonDepth: 64,
  /** Cases of one set, rows of one table. */
  cases: 10_000_000,
  rows: 100_000_000,
  /** Rows of one reply, and the number given when none is asked for. */
  replyRows: 10_000,
  replyRowsDefault: 100,
  /** Values of one `where` list, columns of one `order`, groups of one aggregate. */
  whereValues: 10_000,
  orderColumns: 16,
  groups: 10_000,
  /** Rows of a table that keeps each row's text once it was served. */
  renderedRows: 100_000,
  /** Days of a delay, a grace or a lead: a century, so that no sum of one and an instant leaves the range unseen. */
  durationDays: 37_200,
  /** Bytes of the arguments of one tool call, which stand in its entry. */
  argumentBytes: 32_768,
  /** Characters of a tool's name, of a reason and of a fault's message as an entry holds them. */
  nameCharacters: 200,
  wordsCharacters: 4_000,
  /** Bytes of one entry of the record (a C2SP tile's entry holds no more). */
  entryBytes: 65_535,
  /** Draws of one plant until no real row has its digest; drawings of a key until it is new. */
  plantDraws: 100,
  /** Refusals that `doctor` lists. */
  refusals: 1_000,
  /** Cases whose plants are kept between their proof and their run; of others they are drawn again. */
  plantedCases: 50_000,
  /** Calls of one trajectory. */
  calls: 100_000,
  concurrency: 1_024,
  /** Tags that a report slices by; where there are more, they are names and not slices. */
  slices: 100,
  repeats: 1_000,
  resamples: 1_000_000,
  /** Folders that are looked at upward for a package or a workspace. */
  parents: 64,
} as const;
