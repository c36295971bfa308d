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
  /** Rows of a table of answers; models that answer in one, each pair of which is compared; models of a table of them. */
  answers: 10_000_000,
  answeringModels: 200,
  listedModels: 10_000,
  /** Months of the interval that a cutoff is moved over: at each of them all is estimated again. */
  cutoffMonths: 240,
  /** The greatest outcome of an answer, so that its square and sums of squares stay numbers. */
  outcome: 1e100,
  /** The most money that a profile declares, and the largest lot. */
  money: 1e15,
  /** The greatest value of one unit, its inverse the least; an account of more is weighed no more: all stays numbers. */
  quoted: 1e100,
  /** Series of one table of them, each pair of which is compared, and their values. */
  seriesColumns: 1_000,
  seriesCells: 20_000_000,
  /** Rows of one reply, and the number given when none is asked for. */
  replyRows: 10_000,
  replyRowsDefault: 100,
  /** Values of one `where` list, columns of one `order`, groups of one aggregate. */
  whereValues: 10_000,
  orderColumns: 16,
  groups: 10_000,
  /** Folds of a split; groups of a combinatorial one, and the splits that it may have; a case's day; bytes of a file of splits. */
  splitFolds: 10_000,
  splitGroups: 1_000,
  splits: 200_000,
  dayNumber: 10_000_000,
  splitFileBytes: 268_435_456,
  /** Training cases of a run's folds, all together. */
  foldCases: 50_000_000,
  /** Characters and terms of one search, tables that it names; its rows, and the number given when none is asked for. */
  queryCharacters: 4_000,
  queryTerms: 256,
  searchTables: 100,
  searchRows: 100,
  searchRowsDefault: 10,
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
  /** Trials that are clustered, in time that grows with their cube; blocks of CSCV, in C(S, S/2) combinations. */
  clusteredTrials: 1_000,
  overfittingBlocks: 20,
  /** Rows of one trial ledger. */
  trialRows: 10_000_000,
  /** Orders of one account that a report lists; of more, how many it leaves out. */
  reportedOrders: 20_000,
  /** Returns of one repeat that a row keeps; of more, their digest. */
  trialReturns: 1_500,
  /** Draws of one plant until no real row has its digest; drawings of a key until it is new. */
  plantDraws: 100,
  /** Refusals that `doctor` lists. */
  refusals: 1_000,
  /** Cases whose plants are kept between their proof and their run; of others they are drawn again. */
  plantedCases: 50_000,
  /** Rows of one table that are staged for a case at most; cases whose staged rows are kept. */
  stagedRows: 120,
  stagedCases: 500,
  /** Milliseconds between two progress leaves of a run. */
  progressMs: 60_000,
  /** Calls of one trajectory; entries of one that is replayed, all its attempts. */
  calls: 100_000,
  trajectoryEntries: 1_000_000,
  concurrency: 1_024,
  /** Tags that a report slices by; where there are more, they are names and not slices. */
  slices: 100,
  /** Texts that may answer a case. */
  subjectValues: 1_000,
  /** Entities of one answer, or of a case's own list. */
  positions: 1_000,
  /** Of an answer's positions as JSON: they must fit into an entry. */
  positionsBytes: 49_152,
  repeats: 1_000,
  resamples: 1_000_000,
  /** Hashes of one Merkle proof, signatures of one note, characters of one note, bytes and lines of one trust policy. */
  proofHashes: 63,
  noteSignatures: 100,
  noteCharacters: 1_048_576,
  policyBytes: 1_048_576,
  policyLines: 1_000,
  /**
   * A run folder: how many files; bytes of a JSON file, of a leaf or a proof, of the report or an artifact, and of a file
   * of lines or the pack.
   */
  runFiles: 2_000,
  jsonFileBytes: 16_777_216,
  leafFileBytes: 131_072,
  reportBytes: 1_073_741_824,
  streamedBytes: 1_099_511_627_776,
  /** Raw bytes of one body of a replayed pack. */
  blobBytes: 268_435_456,
  /** Folders that are looked at upward for a package or a workspace. */
  parents: 64,
  /** Milliseconds that an append waits for its log, and the longest sleep between two looks at a lock. */
  lockWaitMs: 60_000,
  lockPollMs: 25,
  /**
   * A reader from outside: milliseconds that it may take to say who it is, and to end once it has answered; seconds for one
   * case unless its profile says otherwise, and at most; the last characters of its stderr that are kept.
   */
  helloMs: 60_000,
  byeMs: 2_000,
  deadlineSeconds: 600,
  deadlineSecondsMost: 86_400,
  stderrCharacters: 2_000,
  /** Megabytes of the heap of a reader that is a module, and messages of it that may wait to be looked at. */
  moduleHeapMegabytes: 2_048,
  moduleMessages: 64,
  /**
   * A model's endpoint: bytes of one reply, calls of one trajectory, tries after the first, milliseconds of one wait, and of
   * the first when nobody says how long.
   */
  replyBytes: 16_777_216,
  turns: 100,
  turnsDefault: 16,
  retries: 20,
  retriesDefault: 5,
  waitMs: 120_000,
  waitMsFirst: 500,
  /** Bytes of one request; requests that wait at one endpoint; rates that one may be held to; seconds of one request. */
  requestBytes: 67_108_864,
  waiting: 10_000,
  requestsPerMinute: 1_000_000,
  tokensPerMinute: 1_000_000_000_000,
  requestSeconds: 120,
  requestSecondsMost: 3_600,
  /** Trajectories that end in a fault before any call of a model was answered: then the run stops. */
  unserved: 3,
  /** The most of any one use that is told: a sum of as many as there may be stays a number that is exact enough. */
  usage: 1_000_000_000_000,
  /**
   * Names and aliases of a case set's entities, characters of one, and entities that bear one; the terms of one by which it
   * is known in a text, and how many different steps from term to term all of them have.
   */
  entityNames: 4_000_000,
  entityCharacters: 1_000,
  nameBearers: 1_000,
  nameTerms: 32,
  trieNodes: 16_000_000,
  /** Runs of capitalised terms, of one attempt's queries, that are looked for in what it was served. */
  unknownRuns: 100_000,
  /** Bytes of a file that belongs to a reader, and how many there may be. */
  readerFileBytes: 67_108_864,
  readerFiles: 1_000,
  /** Bytes of a key file, and of a stored checkpoint with its signatures. */
  keyFileBytes: 65_536,
  checkpointBytes: 65_536,
} as const;
