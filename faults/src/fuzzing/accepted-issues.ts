/** A rule for values that the document cannot express. */
interface AcceptedIssue {
  /** Where the rejected value is. */
  readonly path: RegExp;
  /** The code of its error. */
  readonly code: string;
  readonly why: string;
}

/** The issues of `validation_failed` for which a fuzzer's valid request is correctly rejected. */
export const acceptedIssues: readonly AcceptedIssue[] = [
  {
    path: /^\/?cursor$/,
    code: 'bad_cursor',
    why: 'A cursor comes from the previous page. No schema distinguishes it from an invented one.',
  },
  {
    path: /^(as_of|\/(since|until))$/,
    code: 'too_large',
    why: 'An invented position is beyond the end of the log, and an invented time is in the future.',
  },
  {
    path: /^if-match$/,
    code: 'invalid_format',
    why: 'schemathesis sends `If-Match: 0` as valid, although the pattern in the document excludes it.',
  },
  {
    path: /^\/?((sale_)?currency|minimum_payout\/.+|(terms|commission)\/(amounts|caps)\/.+)$/s,
    code: 'unknown_currency',
    why: 'The document has the pattern of a currency, not the list of ISO 4217, which grows.',
  },
  {
    path: /^\/((sale_)?currency|minimum_payout\/.+|(terms|commission)\/(amounts|caps)\/.+)$/s,
    code: 'no_minor_unit',
    why: 'The document has the pattern of a currency. Amounts cannot be counted in gold.',
  },
  {
    path: /^\/sale_currency$/,
    code: 'withdrawn_currency',
    why: 'Whether a sale can be in a withdrawn currency also depends on occurred_at.',
  },
  {
    path: /^\/?target_url$/,
    code: 'wrong_length',
    why: 'The limit counts bytes of the normalized URL. A schema counts characters.',
  },
  {
    path: /^\/(payout_)?email$/,
    code: 'invalid_format',
    why: 'A pattern of JSON Schema cannot tell which domains have an ASCII form.',
  },
  {
    path: /^\/(payout_)?email$/,
    code: 'wrong_length',
    why: 'The limits count octets. A schema counts characters.',
  },
  {
    path: /^\/\w+$/,
    code: 'invisible',
    why: 'A pattern of JSON Schema cannot name the invisible characters, which Unicode adds to.',
  },
  {
    path: /^\/payout_hold_reason$/,
    code: 'without_hold',
    why: 'Whether a hold may have a reason also depends on the affiliate.',
  },
  {
    path: /^\/(occurred_at|expires_at)$/,
    code: 'too_early',
    why: 'Sales since 2000 are recorded, and keys expire in the future. A schema has no earliest time.',
  },
  {
    path: /^\/occurred_at$/,
    code: 'too_late',
    why: 'A sale cannot be in the future. A schema does not know the time.',
  },
  {
    path: /^(\/\w+_at|\w+_(after|before|from|to))$/,
    code: 'out_of_range',
    why: 'An offset can move a time out of the years 1 to 9999. A pattern cannot compute it.',
  },
  {
    path: /^\/payable_on$/,
    code: 'too_early',
    why: 'An adjustment is payable at most 366 days back. A schema does not know the day.',
  },
  {
    path: /^\/payable_on$/,
    code: 'too_late',
    why: 'An adjustment is payable at most 366 days ahead. A schema does not know the day.',
  },
  {
    path: /^\/(until|completed_at)$/,
    code: 'too_late',
    why: 'A payout cannot be for a day, or sent at a time, in the future. A schema does not know the time.',
  },
  {
    path: /^\/completed_at$/,
    code: 'without_completed',
    why: 'The document says in words that the time comes with the status `completed`.',
  },
  {
    path: /^on$/,
    code: 'too_small',
    why: 'What is payable is read as of today or a later day. A schema does not know the day.',
  },
  {
    path: /^part$/,
    code: 'too_large',
    why: 'How many parts a file has depends on the payouts of the run, which no schema knows.',
  },
  {
    path: /^(sort|finished_after)$/,
    code: 'with_created_bound',
    why: 'A bound on created_at excludes other orders. A schema of one parameter does not know the others.',
  },
  {
    path: /^created_from$/,
    code: 'with_created_after',
    why: 'A list starts at one bound. A schema of one parameter does not know the others.',
  },
  {
    path: /^created_to$/,
    code: 'with_created_before',
    why: 'A list ends at one bound. A schema of one parameter does not know the others.',
  },
  {
    path: /^sort$/,
    code: 'without_created_bound',
    why: 'Entries are sorted by created_at only with a bound on it. A schema of one parameter does not know the others.',
  },
  {
    path: /^not_eligible$/,
    code: 'without_open',
    why: 'Only open balances are found by it. A schema of one parameter does not know the others.',
  },
  {
    path: /^(limit|cursor)$/,
    code: 'with_csv',
    why: 'A page can be selected in JSON only. A schema of one parameter does not know the others.',
  },
  {
    path: /^month$/,
    code: 'too_large',
    why: 'A statement is of a month that has started. A schema does not know the day.',
  },
  {
    path: /^\/refunded_amount$/,
    code: 'too_large',
    why: 'No more can be refunded than was paid. The conversion knows that amount; no schema does.',
  },
  {
    path: /^\/sale_amount$/,
    code: 'too_small',
    why: 'A sale stays above what was refunded of it. The conversion knows that amount; no schema does.',
  },
  {
    path: /^\/refunded_amount$/,
    code: 'contradicts_status',
    why: 'Whether a sale is refunded in full depends on its amount, which no schema knows.',
  },
  {
    path: /^\/overlap$/,
    code: 'too_large',
    why: 'An overlap lasts at most 168h. A pattern of durations cannot compare them.',
  },
  {
    path: /^endpoint_id$/,
    code: 'not_found',
    why: 'Deliveries are listed of an endpoint that exists or has existed. An invented id names none.',
  },
];
