/** The fixed parts of the problems with a code. */
export interface ProblemText {
  readonly status: number;
  readonly title: string;
  readonly advice: string;
}

/** The problem codes of payouts and their files. They are part of the one list in `problems.ts`. */
export const payoutProblems = {
  nothing_payable: {
    status: 409,
    title: 'Nothing payable',
    advice:
      'Wait until more is payable: the open entries that are payable as of the day of the payout (`until`, by default today) add up to `payable`, which is 0 or less. `next_payable_on` is the next day on which more becomes payable; null if there is none.',
  },
  payout_hold: {
    status: 409,
    title: 'Payout hold',
    advice: 'Lift the hold first: set `payout_hold` of the affiliate to false.',
  },
  below_minimum: {
    status: 409,
    title: 'Below the minimum',
    advice: 'Wait until `payable` reaches `minimum`, or send `ignore_minimum` with the value true.',
  },
  too_many_open_payouts: {
    status: 409,
    title: 'Too many open payouts',
    advice: 'Complete, fail or cancel one of the open payouts of this balance first.',
  },
  too_many_ranges: {
    status: 409,
    title: 'Too many ranges',
    advice:
      'One payout cannot hold all of these entries. Send `partial` with the value true, and pay the rest with the next payout.',
  },
  payouts_open: {
    status: 409,
    title: 'Open payouts',
    advice:
      'The affiliate cannot be erased while it has open payouts, since their files need its address. Complete, fail or cancel each of `payouts` (at most 10 are listed), then erase again.',
  },
  payee_unusable: {
    status: 409,
    title: 'Payee unusable',
    advice:
      'The file cannot have a row for each of `payouts`: an affiliate was deleted, its email address or other text in its row is not allowed in the file, or the provider cannot pay its exact amount. Set another `payout_email`, cancel or fail those payouts, or mark them as completed if they were paid elsewhere.',
  },
  currency_not_supported: {
    status: 409,
    title: 'Currency not supported',
    advice:
      'The provider of this format does not pay in this currency. Download `format=csv`, and pay these payouts elsewhere.',
  },
  payee_changed: {
    status: 409,
    title: 'Payee changed',
    advice:
      'The recipient of each payout in `payouts` has changed. Check each of them, then send `accept_changed_payees=true`.',
  },
} as const satisfies Record<string, ProblemText>;
