import { acceptedIssues } from './accepted-issues.js';
import type { Finding } from './finding.js';

/** A correct response on which a check of schemathesis fails. */
interface AcceptedFinding {
  readonly check: 'positive_data_acceptance' | 'negative_data_rejection' | 'not_a_server_error';
  readonly status: number;
  /** Undefined for a response of any operation. */
  readonly operation?: string;
  /** Undefined for a response that is not a problem. */
  readonly code: string | undefined;
  /** The message of schemathesis. */
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
const accepted: readonly AcceptedFinding[] = [
  ...acceptedIssues.map(({ path, code, why }) => ({
    ...rejected,
    code: 'validation_failed',
    error: { path, code },
    why,
  })),
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
    check: 'positive_data_acceptance',
    status: 428,
    code: 'precondition_required',
    why: 'A lower refunded_amount than before needs If-Match. No schema knows what was refunded before.',
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

const isAbout = (
  rule: AcceptedFinding,
  { operation, check, message, exchange }: Finding,
): boolean =>
  (rule.operation ?? operation) === operation &&
  check === rule.check &&
  exchange?.status === rule.status &&
  exchange.problem.code === rule.code &&
  rule.message?.test(message) !== false;
