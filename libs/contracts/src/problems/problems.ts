import { payoutProblems, type ProblemText } from './payout-problems.js';

/** The only list of problem codes (RFC 9457), each with its status, title and advice. */
export const problemCodes = {
  malformed_json: {
    status: 400,
    title: 'Malformed JSON',
    advice: 'Send one JSON value in UTF-8 as the body, and each key of an object once.',
  },
  bad_request: {
    status: 400,
    title: 'Bad request',
    advice: 'Fix the request line, the header or the percent-encoding given in `detail`.',
  },
  unauthenticated: {
    status: 401,
    title: 'Unauthenticated',
    advice:
      'Send `Authorization: Bearer <API_KEY>` with a key that exists, and is neither revoked nor expired.',
  },
  insufficient_scope: {
    status: 403,
    title: 'Insufficient scope',
    advice: 'Use a key with the scope given in `detail`.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    advice: 'Check the path and the id. An id from another account also returns 404.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    advice: 'Use a method that the `Allow` header names.',
  },
  conversion_exists: {
    status: 409,
    title: 'Conversion exists',
    advice:
      'This `external_transaction_id` is already used by the conversion identified by `conversion_id`, with different field values. `errors` names each field that differs, with the code `differs`, what was `sent`, and what is `stored`: the value that the conversion was recorded with (null if it had none), not a later change. Send the same values, or another id.',
  },
  affiliate_exists: {
    status: 409,
    title: 'Affiliate exists',
    advice:
      'The affiliate identified by `affiliate_id` already has this email in the program. If you wanted to add one, `errors` names each field that differs, with the code `differs`, what was `sent`, and what is `stored` now; without `errors`, none differs. Use another address, or change that affiliate.',
  },
  affiliate_erased: {
    status: 409,
    title: 'Affiliate erased',
    advice:
      'This `Idempotency-Key` created the affiliate identified by `affiliate_id`, which has since been erased. To add the person again, use another `Idempotency-Key`.',
  },
  program_exists: {
    status: 409,
    title: 'Program exists',
    advice:
      'This `id` already belongs to a program (`program_id`) that was created with different field values or by its first affiliate. With different values, `errors` names each field that differs, with what was `sent` and what is `stored`: the original value of the program. Change it with PATCH, or choose another id.',
  },
  adjustment_exists: {
    status: 409,
    title: 'Adjustment exists',
    advice:
      'This `external_id` is already used by the adjustment identified by `adjustment_id`, with different field values. `errors` names each field that differs, with what was `sent` and what is `stored`: the original value of the adjustment. Send the same values, or another id.',
  },
  ...payoutProblems,
  invalid_transition: {
    status: 409,
    title: 'Invalid transition',
    advice:
      'The record cannot go from its current status to this one. See `detail` for the possible changes.',
  },
  rotation_in_progress: {
    status: 409,
    title: 'Rotation in progress',
    advice:
      'The previous secret remains valid until the time in `secret_rotation`. Wait until then, or rotate with `overlap` `0s`, which invalidates every previous secret immediately.',
  },
  replay_in_progress: {
    status: 409,
    title: 'Replay in progress',
    advice:
      'The replay identified by `replay_id` is still running; an endpoint has one replay at a time. Wait until it has finished, or stop it with DELETE.',
  },
  last_admin_key: {
    status: 409,
    title: 'Last admin key',
    advice: 'First create another key with scope `admin` or `operator` that does not expire.',
  },
  too_many_revisions: {
    status: 409,
    title: 'Too many revisions',
    advice:
      'This record has 10,000 revisions and accepts no more changes. It can still be deleted, suspended, rejected, refunded, archived, voided, completed, failed or canceled.',
  },
  revision_mismatch: {
    status: 412,
    title: 'Revision mismatch',
    advice:
      'The record has changed since you read it. Read it again, then repeat the request with its new ETag.',
  },
  payload_too_large: {
    status: 413,
    title: 'Payload too large',
    advice: 'Send a smaller body. The detail gives the limit.',
  },
  uri_too_long: { status: 414, title: 'URI too long', advice: 'Send a shorter URL.' },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    advice:
      'Send the body with `Content-Type: application/json`, or `application/x-ndjson` for an import. PATCH takes JSON too, and no patch format: each field that is sent replaces the whole value, also objects such as `metadata` and `terms`.',
  },
  validation_failed: {
    status: 422,
    title: 'Validation failed',
    advice: 'Correct the fields that `errors` lists; each entry says what is expected.',
  },
  unknown_field: {
    status: 422,
    title: 'Unknown field',
    advice: 'Remove or correct the field or query parameter that `errors` names.',
  },
  immutable_field: {
    status: 422,
    title: 'Immutable field',
    advice:
      'Omit the field: it cannot be changed. To correct a conversion, reject it and record the sale again.',
  },
  affiliate_not_found: {
    status: 422,
    title: 'Affiliate not found',
    advice: 'Provide the id of an affiliate of this account that has not been deleted.',
  },
  affiliate_not_active: {
    status: 422,
    title: 'Affiliate not active',
    advice: 'Approve the affiliate first: it is rejected or suspended.',
  },
  program_not_found: {
    status: 422,
    title: 'Program not found',
    advice: 'Provide the id of a registered program.',
  },
  program_not_active: {
    status: 422,
    title: 'Program not active',
    advice: 'Set the status of the program to `active` first: it is archived.',
  },
  target_not_allowed: {
    status: 422,
    title: 'Target not allowed',
    advice: 'Webhooks go to public addresses only. Use one, or see WEBHOOK_ALLOW_PRIVATE_TARGETS.',
  },
  target_exists: {
    status: 422,
    title: 'Target exists',
    advice: 'Another endpoint has this `target_url`. Change that one, or delete it first.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key reused',
    advice:
      'Use a new key: this `Idempotency-Key` has already been used for a different request. `errors`, if present, names each field that differs, with what is `sent` now and what is `stored`: the value of the first request.',
  },
  too_many_endpoints: {
    status: 422,
    title: 'Too many endpoints',
    advice: 'Unsubscribe an endpoint first.',
  },
  precondition_required: {
    status: 428,
    title: 'Precondition required',
    advice:
      'This change needs `If-Match` with the ETag of the record. The detail says why. Read the record, decide whether the change is still right, then send its ETag (not `*`).',
  },
  rate_limited: {
    status: 429,
    title: 'Rate limited',
    advice: 'Wait for the number of seconds in `Retry-After`.',
  },
  too_many_imports: {
    status: 429,
    title: 'Too many imports',
    advice: 'Wait until an import of this account has ended: two may run at a time.',
  },
  too_many_exports: {
    status: 429,
    title: 'Too many exports',
    advice: 'Wait until an export of this account has ended: two may run at a time.',
  },
  too_many_tests: {
    status: 429,
    title: 'Too many tests',
    advice: 'Wait until a test has ended: an endpoint has one at a time, and an account five.',
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    advice: 'Send fewer or shorter headers.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    advice: 'Report it with the request id; the service log has the cause.',
  },
  unavailable: {
    status: 503,
    title: 'Unavailable',
    advice:
      'Retry after the number of seconds in `Retry-After`. No request is ever partially applied.',
  },
  read_model_behind: {
    status: 503,
    title: 'Read model behind',
    advice:
      'The read model, or the node of the event log, has not caught up yet. Retry after the number of seconds in `Retry-After`.',
  },
  ledger_behind: {
    status: 503,
    title: 'Ledger behind',
    advice:
      'The ledger has not yet posted everything that this response must reflect, or the read model does not show it yet. A response never omits what it must reflect. Retry after the number of seconds in `Retry-After`.',
  },
} as const satisfies Record<string, ProblemText>;

/** The stable `code` of a problem. */
export type ProblemCode = keyof typeof problemCodes;
