import { DomainError, faultsError, faultsOf, operations, toPosition, type AccountId, type Fault, type OperationId, type OperationSpec, type Position } from '@refledger/contracts';
import { newContext, type CommandContext } from '@refledger/event-log';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Caller } from './caller.js';

type Spec<Op extends OperationId> = (typeof operations)[Op];
type BodyOf<S> = S extends { readonly body: infer B extends z.ZodType } ? z.infer<B> : undefined;

/** One request as a controller sees it: checked, typed, and with who asks. */
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

/** The context of a command on what belongs to an account. */
export type AccountContext = CommandContext & { readonly accountId: AccountId };

/** The revisions that `If-Match` accepts. */
export type IfMatch = 'any' | readonly number[];

/** What a controller answers. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Checks headers, query and body of a request against its operation. Throws one error that names every fault. */
export const readCall = <Op extends OperationId>(operation: Op, request: FastifyRequest, caller: Caller): Call<Op> => {
  const spec: OperationSpec = operations[operation];
  const faults: Fault[] = [];
  const parse = (schema: z.ZodObject | undefined, value: unknown, where: 'body' | 'parameters'): unknown => {
    const read = schema?.safeParse(value, { reportInput: true });
    if (read?.success === false) faults.push(...faultsOf(read.error, { in: where, known: Object.keys(schema?.shape ?? {}), ...(spec.immutable && { immutable: spec.immutable }) }));
    return read?.data;
  };
  const query = parse(spec.query, request.query, 'parameters');
  const body = parse(spec.body ?? (request.body === undefined ? undefined : noFields), request.body, 'body');
  const header = <T>(name: string, read: (value: string) => T | undefined, wanted: string): T | undefined => {
    const value = request.headers[name];
    if (value === undefined) return undefined;
    const result = typeof value === 'string' ? read(value) : undefined;
    if (result === undefined) faults.push({ path: name, code: 'invalid_format', message: `${name} must be ${wanted}` });
    return result;
  };
  const idempotencyKey = spec.idempotent && !namesItself(body) ? header('idempotency-key', printable, '1 to 255 printable ASCII characters') : undefined;
  const minPosition = header('refledger-min-position', toPosition, 'a position: a decimal number from a Refledger-Position header');
  const ifMatch = spec.etag && spec.method !== 'GET' && spec.method !== 'POST' ? header('if-match', readIfMatch, 'an entity tag such as "3", or *') : undefined;
  if (faults.length > 0) throw faultsError(faults);
  const { id = '' } = request.params as { id?: string };
  if (spec.path.includes(':id') && !/^[\w-]{1,100}$/.test(id)) throw new DomainError('not_found', `there is no record ${JSON.stringify(id.slice(0, 100))}`);
  return {
    caller,
    context: { ...newContext({ accountId: caller.accountId, actor: caller.keyId, requestId: request.id }), accountId: caller.accountId },
    id,
    // the border of decoding: the schemas of this very operation have just accepted both
    query: query as Call<Op>['query'],
    body: body as Call<Op>['body'],
    idempotencyKey,
    ifMatch,
    minPosition,
  };
};

/** What a request without a body of its own may carry as one. */
const noFields = z.strictObject({});

/** Fails unless the record is at the revision that `If-Match` asks for. */
export const requireRevision = (wanted: IfMatch | undefined, actual: number | undefined): void => {
  if (wanted === undefined || wanted === 'any' || (actual !== undefined && wanted.includes(actual))) return;
  throw new DomainError('revision_mismatch', `the record is at revision ${actual}, and If-Match names no such strong tag (a weak one, W/, matches nothing)`);
};

/** A sale with a transaction id of its own is told by that alone; the header is then not even looked at. */
const namesItself = (body: unknown): boolean => typeof body === 'object' && body !== null && 'external_transaction_id' in body;

const printable = (value: string): string | undefined => (/^[\x20-\x7e]{1,255}$/.test(value) ? value : undefined);

/** Entity tags of RFC 9110 §13.1.1: `*` or a list. A weak tag, or one that we never made, matches nothing. */
const readIfMatch = (value: string): IfMatch | undefined => {
  if (value.trim() === '*') return 'any';
  const tags = value.split(',').map((tag) => /^\s*(W\/)?"([^"]*)"\s*$/.exec(tag));
  if (tags.some((tag) => tag === null)) return undefined;
  return tags.flatMap((tag) => (tag?.[1] === undefined && /^\d{1,10}$/.test(tag?.[2] ?? '') ? [Number(tag?.[2])] : []));
};
