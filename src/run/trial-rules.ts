/** What a profile says of its run as a trial. */
export type TrialRules = {
  /** What its measures are per: a ledger holds one kind. */
  readonly units: string;
};
