import type { Problem } from '@refledger/contracts';
import type { Consistency } from '@refledger/application';
import type { Logger, Metrics } from '@refledger/platform';
import type { Caller } from '@refledger/queries';
import { problemResponse } from '../http/errors/problem-response.js';
import { AccountSlots, refusalOf } from '../http/limits/account-slots.js';
import type { ApiResponse } from '../http/request/call.js';
import type { NdjsonBody } from '../http/request/ndjson-body.js';
import { positionHeader } from '../http/responses.js';
import { ImportResults } from './import-results.js';
import { runImport, type ImportKind, type ImportLimits } from './run-import.js';

export interface ImportsParts {
  readonly consistency: Pick<Consistency, 'readHead'>;
  readonly metrics: Pick<Metrics, 'importsInFlight' | 'requestsRejected'>;
  readonly logger: Logger;
  /** The directory for temporary files. */
  readonly directory: string;
  readonly maxBytes: number;
}

/** A request to import lines. */
export interface ImportCall {
  readonly caller: Caller;
  readonly context: { readonly requestId: string };
  /** The `X-Request-Id` of the response. */
  readonly responseId: string;
  readonly body: NdjsonBody;
}

/** Lines and results that wait take up to 3 MB of memory per import. */
const defaults = {
  slots: { total: 16, perAccount: 2 },
  maxInFlight: 64,
  maxLines: 100_000,
  maxLineBytes: 64 * 1024,
};

/** Runs imports: requests with one command per line, and one result per line. */
export class Imports {
  private readonly slots: AccountSlots;

  constructor(
    private readonly parts: ImportsParts,
    private readonly limits: Omit<ImportLimits, 'maxBytes'> &
      Pick<typeof defaults, 'slots'> = defaults,
  ) {
    this.slots = new AccountSlots(limits.slots);
  }

  /**
   * Begins an import. Throws `too_many_imports` if the account has too many already, and
   * `unavailable` if the gateway has.
   */
  async start<Value>({ body, ...call }: ImportCall, kind: ImportKind<Value>): Promise<ApiResponse> {
    const { consistency, metrics, directory, maxBytes } = this.parts;
    const position = await consistency.readHead();
    if (position === undefined) throw new Error('the log with the key of an import has no events');
    const onTotal = (): void => metrics.requestsRejected.inc({ kind: 'write' });
    const refusal = refusalOf('imports', this.limits.slots, onTotal);
    const release = this.slots.take(call.caller.accountId, refusal);
    metrics.importsInFlight.inc();
    const { ndjson, ended } = runImport({
      body,
      kind,
      directory,
      limits: { ...this.limits, maxBytes },
      results: new ImportResults(position),
      problemOf: this.problems(call),
    });
    // results that a client has not read take memory, too
    const closed = new Promise((resolve) => ndjson.once('close', resolve));
    void Promise.all([ended, closed]).then(() => {
      metrics.importsInFlight.dec();
      release();
    });
    return { status: 200, ndjson, headers: positionHeader(position) };
  }

  /** Turns errors into problems, and logs the first internal cause: there can be one per line. */
  private problems({
    context,
    responseId,
  }: Pick<ImportCall, 'context' | 'responseId'>): (error: unknown) => Problem {
    let hasLogged = false;
    return (error) => {
      const { problem, cause } = problemResponse(error, responseId);
      if (cause !== undefined && !hasLogged) {
        hasLogged = true;
        this.parts.logger.error({ err: cause, request_id: context.requestId }, 'an import failed');
      }
      return problem;
    };
  }
}
