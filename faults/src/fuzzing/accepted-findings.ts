import type { Finding } from './finding.js';

/** A correct answer on which a check of schemathesis fails. */
interface Accepted {
  readonly check: 'positive_data_acceptance' | 'negative_data_rejection' | 'not_a_server_error';
  readonly status: number;
  readonly code: string;
  /** Where the rejected value is, and the code of its error, for `validation_failed`. */
  readonly error?: { readonly path: RegExp; readonly code: string };
  readonly why: string;
}

const rejected = { check: 'positive_data_acceptance', status: 422 } as const;

/**
 * All findings that are no faults. Each names one answer of the contract, and why a fuzzer meets
 * it.
 */
const accepted: readonly Accepted[] = [
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^cursor$/, code: 'bad_cursor' },
    why: 'A cursor comes from the page before. No schema tells it from a made-up one.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^if-match$/, code: 'invalid_format' },
    why: 'schemathesis sends `If-Match: 0` as valid, which the pattern of the document refuses.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^\/?sale_currency$/, code: 'unknown_currency' },
    why: 'The document has the form of a currency, not the list of ISO 4217, which grows.',
  },
  {
    ...rejected,
    code: 'validation_failed',
    error: { path: /^\/?target_url$/, code: 'wrong_length' },
    why: 'The limit is in bytes once the address is normalised. A schema counts characters.',
  },
  {
    ...rejected,
    code: 'affiliate_not_found',
    why: 'A sale must name an affiliate of the account. A made-up id names none.',
  },
  {
    ...rejected,
    code: 'idempotency_key_reused',
    why: 'schemathesis sends one key with several bodies.',
  },
  {
    check: 'positive_data_acceptance',
    status: 412,
    code: 'revision_mismatch',
    why: 'A made-up If-Match names no revision that the record has.',
  },
  {
    check: 'not_a_server_error',
    status: 503,
    code: 'read_model_behind',
    why: 'A made-up Refledger-Min-Position is one that the log has not come to.',
  },
  {
    check: 'negative_data_rejection',
    status: 414,
    code: 'uri_too_long',
    why: 'It is a refusal, but schemathesis has 414 in no list of them.',
  },
];

/** Whether the answer of a finding is correct. */
export const isAccepted = ({ check, exchange }: Finding): boolean =>
  accepted.some(({ error, ...answer }) => {
    if (check !== answer.check || exchange?.status !== answer.status) return false;
    const { code, errors = [] } = exchange.problem;
    if (code !== answer.code) return false;
    if (error === undefined) return true;
    return (
      errors.length > 0 &&
      errors.every((fault) => error.path.test(fault.path) && fault.code === error.code)
    );
  });
