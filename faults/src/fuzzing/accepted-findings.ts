import type { Finding } from './finding.js';

/** A correct response on which a check of schemathesis fails. */
interface Accepted {
  readonly check: 'positive_data_acceptance' | 'negative_data_rejection' | 'not_a_server_error';
  readonly status: number;
  /** Undefined for a response of any operation. */
  readonly operation?: string;
  /** Undefined for a response that is not a problem. */
  readonly code: string | undefined;
  /** What schemathesis says about it. */
  readonly message?: RegExp;
  /** Where the rejected value is, and the code of its error, for `validation_failed`. */
  readonly error?: { readonly path: RegExp; readonly code: string };
  readonly why: string;
}

const rejected = { check: 'positive_data_acceptance', status: 422 } as const;
const withIgnoredKey = {
  check: 'negative_data_rejection',
  code: undefined,
  message: /^Invalid component: parameter `Idempotency-Key` in header/m,
  why: 'A request whose body has the id of its record does not use its key.',
} as const;
const withSecond60 = {
  check: 'negative_data_rejection',
  code: undefined,
  message: /Value not matching the 'date-time' format$/m,
  why: 'The pattern has second 60 in any minute. The format has it where UTC inserts leap seconds.',
} as const;

/**
 * All findings that are not faults. Each names one response of the contract, and why a fuzzer gets
 * it.
 */
const accepted: readonly Accepted[] = [
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^\/?cursor$/, code: 'bad_cursor' },
    why: 'A cursor comes from the previous page. No schema distinguishes it from an invented one.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^(as_of|\/(since|until))$/, code: 'too_large' },
    why: 'An invented position is beyond the end of the log, and an invented time is in the future.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^if-match$/, code: 'invalid_format' },
    why: 'schemathesis sends `If-Match: 0` as valid, although the pattern in the document excludes it.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: {
      path: /^\/?((sale_)?currency|minimum_payout\/.+|(terms|commission)\/(amounts|caps)\/.+)$/s,
      code: 'unknown_currency',
    },
    why: 'The document has the pattern of a currency, not the list of ISO 4217, which grows.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: {
      path: /^\/((sale_)?currency|minimum_payout\/.+|(terms|commission)\/(amounts|caps)\/.+)$/s,
      code: 'no_minor_unit',
    },
    why: 'The document has the pattern of a currency. Amounts cannot be counted in gold.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^\/sale_currency$/, code: 'withdrawn_currency' },
    why: 'Whether a sale can be in a withdrawn currency also depends on occurred_at.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^\/?target_url$/, code: 'wrong_length' },
    why: 'The limit counts bytes of the normalised URL. A schema counts characters.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^\/(payout_)?email$/, code: 'invalid_format' },
    why: 'A pattern of JSON Schema cannot tell which domains have an ASCII form.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^\/(payout_)?email$/, code: 'wrong_length' },
    why: 'The limits count octets. A schema counts characters.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^\/\w+$/, code: 'invisible' },
    why: 'A pattern of JSON Schema cannot name the invisible characters, which Unicode adds to.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^\/payout_hold_reason$/, code: 'without_hold' },
    why: 'Whether a hold may have a reason also depends on the affiliate.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^\/(occurred_at|expires_at)$/, code: 'too_early' },
    why: 'Sales since 2000 are recorded, and keys expire in the future. A schema has no earliest time.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^\/occurred_at$/, code: 'too_late' },
    why: 'A sale cannot be in the future. A schema does not know the time.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^\/expires_at$/, code: 'out_of_range' },
    why: 'An offset can move a time out of the years that times have. A pattern cannot compute it.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^\/payable_on$/, code: 'too_early' },
    why: 'An adjustment is payable at most 366 days back. A schema does not know the day.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^\/payable_on$/, code: 'too_late' },
    why: 'An adjustment is payable at most 366 days ahead. A schema does not know the day.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^\/(until|completed_at)$/, code: 'too_late' },
    why: 'A payout cannot be for a day, or sent at a time, in the future. A schema does not know the time.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^\/completed_at$/, code: 'without_completed' },
    why: 'The document says in words that the time comes with the status `completed`.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^on$/, code: 'too_small' },
    why: 'What is payable is read as of today or a later day. A schema does not know the day.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^part$/, code: 'too_large' },
    why: 'How many parts a file has depends on the payouts of the run, which no schema knows.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^(limit|cursor)$/, code: 'with_csv' },
    why: 'A page can be selected in JSON only. A schema of one parameter does not know the others.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^month$/, code: 'too_large' },
    why: 'A statement is of a month that has begun. A schema does not know the day.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^\/refunded_amount$/, code: 'too_large' },
    why: 'No more can be refunded than was paid. The conversion knows that amount; no schema does.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^\/refunded_amount$/, code: 'contradicts_status' },
    why: 'Whether a sale is refunded in full depends on its amount, which no schema knows.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^\/overlap$/, code: 'too_large' },
    why: 'An overlap lasts at most 168h. A pattern of durations cannot compare them.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^endpoint_id$/, code: 'not_found' },
    why: 'Deliveries are listed of an endpoint that exists or has existed. An invented id names none.',
  },
  {
    ...rejected,
    code: 'target_exists',
    why: 'Which targets are taken depends on the endpoints of the account, which no schema knows.',
  },
  {
    ...rejected,
    code: 'affiliate_not_active',
    why: 'A payout must name an approved affiliate. No schema knows who is.',
  },
  {
    ...rejected,
    code: 'affiliate_not_found',
    why: 'A sale, an adjustment or a payout must name an affiliate of the account. An invented id names none.',
  },
  {
    ...rejected,
    code: 'program_not_active',
    why: 'The fuzzer archives programs, and an archived program gets no affiliates and no sales.',
  },
  {
    ...rejected,
    code: 'program_not_found',
    why: 'A payout run must be of a program of the account. An invented id names none.',
  },
  {
    ...rejected,
    code: 'idempotency_key_reused',
    why: 'schemathesis sends the same key with several bodies.',
  },
  {
    check: 'positive_data_acceptance',
    status: 412,
    code: 'revision_mismatch',
    why: 'An invented If-Match does not name the revision of the record.',
  },
  {
    check: 'not_a_server_error',
    status: 503,
    code: 'read_model_behind',
    why: 'An invented Refledger-Min-Position is beyond the end of the log.',
  },
  {
    check: 'not_a_server_error',
    status: 503,
    code: 'ledger_behind',
    why: 'An invented Refledger-Min-Position is beyond the end of the log.',
  },
  { ...withIgnoredKey, status: 200 },
  { ...withIgnoredKey, status: 201 },
  { ...withSecond60, status: 200 },
  { ...withSecond60, status: 201 },
  {
    check: 'negative_data_rejection',
    status: 200,
    code: undefined,
    operation: 'POST /v1/payouts/import',
    why: 'The request is accepted. A line that is refused has a result of its own.',
  },
  {
    check: 'negative_data_rejection',
    status: 414,
    code: 'uri_too_long',
    why: '414 is a valid rejection, but schemathesis does not list it as one.',
  },
];

/** Whether the response of a finding is correct: each error in it is accepted. */
export const isAccepted = (finding: Finding): boolean => {
  const rules = accepted.filter((rule) => isAbout(rule, finding));
  if (rules.some(({ error }) => error === undefined)) return true;
  const { errors = [] } = finding.exchange?.problem ?? {};
  return (
    errors.length > 0 &&
    errors.every(({ path, code }) =>
      rules.some(({ error }) => error?.code === code && error.path.test(path)),
    )
  );
};

const isAbout = (rule: Accepted, { operation, check, message, exchange }: Finding): boolean =>
  (rule.operation ?? operation) === operation &&
  check === rule.check &&
  exchange?.status === rule.status &&
  exchange.problem.code === rule.code &&
  rule.message?.test(message) !== false;
