/** The numbers of the contract, named once; `docs/contract-numbers.md` is compared with this by a test. */

export const contract = {
  /** Percentile bootstrap (63). */
  bootstrapResamples: 1000,
  bootstrapLevel: 0.95,
  /** More than this share of redrawn resamples and a figure is not estimable (63). */
  bootstrapRedrawnShare: 0.05,
  /** Below this many clusters the t interval decides (42, 63). */
  bootstrapClusters: 100,
  /** Significant digits of every reported number (law 4). */
  significantDigits: 12,
  /** Fewest clusters and cases a side of a cutoff slice (42). */
  sliceClusters: 5,
  sliceCases: 20,
  /** Coverage below which a forecaster is listed, unranked (64). */
  coverageFloor: 0.95,
  /** Minimum detectable effect (42). */
  alpha: 0.05,
  power: 0.8,
} as const;
