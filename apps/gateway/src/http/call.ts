import {
  DomainError,
  validationError,
  newCommandId,
  operations,
  type AccountId,
  type ValidationIssue,
  type OperationId,
  type OperationSpec,
  type Position,
} from '@refledger/contracts';
import type { CommandContext } from '@refledger/event-log';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Caller } from './caller.js';
import type { IfMatch } from './if-match.js';
import { bodyReader, queryReader } from './request-input.js';
import { idempotencyKey, ifMatch, minPosition, readHeader } from './request-headers.js';

type Spec<Op extends OperationId> = (typeof operations)[Op];
type BodyOf<S> = S extends { readonly body: infer B extends z.ZodType } ? z.infer<B> : undefined;

/** One request as a controller sees it: validated, typed and with its caller. */
export interface Call<Op extends OperationId> {
  readonly caller: Caller;
  readonly context: AccountContext;
  /** The `:id` of the path; empty where the path has none. */
  readonly id: string;
  readonly query: z.infer<Spec<Op>['query']>;
  readonly body: BodyOf<Spec<Op>>;
  readonly idempotencyKey: string | undefined;
  readonly ifMatch: IfMatch | undefined;
  readonly minPosition: Position | undefined;
}

/** The context of a command on an account's data. */
export type AccountContext = CommandContext & { readonly accountId: AccountId };

/** A controller's answer. Header names are in lower case. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  /** The body as JSON text, when the controller has it in that form already. */
  readonly json?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Returns a function that validates an operation's headers, query and body. It throws one error
 * that names every issue.
 */
export const callReader = <Op extends OperationId>(
  operation: Op,
): ((request: FastifyRequest, caller: Caller) => Call<Op>) => {
  const spec: OperationSpec = operations[operation];
  const hasId = spec.path.includes(':id');
  const takesIfMatch = spec.etag === true && spec.method !== 'GET' && spec.method !== 'POST';
  const readQuery = queryReader(spec);
  const readBody = bodyReader(spec);

  return (request, caller) => {
    const issues: ValidationIssue[] = [];
    const query = readQuery(request.query, issues);
    const body = readBody(request.body, issues);
    const key =
      spec.idempotent && !namesItself(body)
        ? readHeader(request, idempotencyKey, issues)
        : undefined;
    const position = readHeader(request, minPosition, issues);
    const revisions = takesIfMatch ? readHeader(request, ifMatch, issues) : undefined;
    if (issues.length > 0) throw validationError(issues);
    return {
      caller,
      context: {
        accountId: caller.accountId,
        actor: caller.keyId,
        requestId: request.id,
        commandId: newCommandId(),
      },
      id: hasId ? idIn(request) : '',
      // Decoding border: this operation's schemas have just accepted both.
      query: query as Call<Op>['query'],
      body: body as Call<Op>['body'],
      idempotencyKey: key,
      ifMatch: revisions,
      minPosition: position,
    };
  };
};

const idIn = ({ params }: FastifyRequest): string => {
  const { id = '' } = params as { id?: string };
  if (!/^[\w-]{1,100}$/.test(id))
    throw new DomainError(
      'not_found',
      `There is no record ${JSON.stringify(id.slice(0, 100))}. Check the id.`,
    );
  return id;
};

/**
 * A sale with a transaction id is identified by that alone, and its Idempotency-Key header is
 * ignored.
 */
const namesItself = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'external_transaction_id' in body;
