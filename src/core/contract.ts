/** The numbers of the contract, named once; `docs/contract-numbers.md` is compared with this by a test. */

export const contract = {
  /** Percentile bootstrap (63). */
  bootstrapResamples: 1000,
  bootstrapLevel: 0.95,
  /** More than one redrawn resample in this many and a figure is not estimable (63). */
  bootstrapRedrawnPer: 20,
  /** Below this many clusters the t interval decides (42, 63). */
  bootstrapClusters: 100,
  /** Fewer clusters or cases on a side and a cutoff's estimate is not estimable (42). */
  leakClusters: 5,
  leakCases: 20,
  /** Of a minimum detectable effect, whose size is 1 − the level of the interval (42). */
  power: 0.8,
  /** Of a minimum track record: how sure it is then that the ratio is above the benchmark (52). */
  trackRecordLevel: 0.95,
  /** Into how many blocks the periods are cut, where an overfitting probability is asked for without saying so (52). */
  overfittingBlocks: 16,
  /** Ranked search: how soon more of a term counts no more, and how much a document's length counts (21). */
  bm25K1: 1.2,
  bm25B: 0.75,
  /** Significant digits of every reported number (law 4). */
  significantDigits: 12,
} as const;
