import {
  DomainError,
  faultsError,
  faultsOf,
  idempotencyKeyPattern,
  newCommandId,
  operations,
  toPosition,
  type AccountId,
  type Fault,
  type OperationId,
  type OperationSpec,
  type Position,
} from '@refledger/contracts';
import type { CommandContext } from '@refledger/event-log';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Caller } from './caller.js';
import { entityTags, type IfMatch } from './if-match.js';

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

/** What a controller answers. Names of headers are in lower case. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  /** The body, where it is JSON text already. */
  readonly json?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Makes of an operation what checks headers, query and body of its requests. That throws one error which names every fault. */
export const callReader = <Op extends OperationId>(
  operation: Op,
): ((request: FastifyRequest, caller: Caller) => Call<Op>) => {
  const spec: OperationSpec = operations[operation];
  const hasId = spec.path.includes(':id');
  const takesIfMatch = spec.etag === true && spec.method !== 'GET' && spec.method !== 'POST';
  const acceptsNoQuery = spec.query.safeParse({}).success;

  return (request, caller) => {
    const { headers } = request;
    const faults: Fault[] = [];
    const query =
      acceptsNoQuery && isEmpty(request.query)
        ? noQuery
        : read(spec.query, request.query, { in: 'parameters' }, faults);
    const bodySchema = spec.body ?? (request.body === undefined ? undefined : noFields);
    const body =
      bodySchema &&
      read(
        bodySchema,
        request.body,
        { in: 'body', ...(spec.immutable && { immutable: spec.immutable }) },
        faults,
      );
    const header = <T>(
      name: string,
      parse: (value: string) => T | undefined,
      wanted: string,
    ): T | undefined => {
      const value = headers[name];
      if (value === undefined) return undefined;
      const result = typeof value === 'string' ? parse(value) : undefined;
      if (result === undefined)
        faults.push({ path: name, code: 'invalid_format', message: `${name} must be ${wanted}` });
      return result;
    };
    const idempotencyKey =
      spec.idempotent && !namesItself(body)
        ? header(
            'idempotency-key',
            (value) => oneKey(request, value),
            'given once, as 1 to 255 printable ASCII characters',
          )
        : undefined;
    const minPosition = header(
      'refledger-min-position',
      toPosition,
      'a position: a decimal number from a Refledger-Position header',
    );
    const ifMatch = takesIfMatch
      ? header('if-match', entityTags, 'an entity tag such as "3", or *')
      : undefined;
    if (faults.length > 0) throw faultsError(faults);
    return {
      caller,
      context: {
        accountId: caller.accountId,
        actor: caller.keyId,
        requestId: request.id,
        commandId: newCommandId(),
      },
      id: hasId ? idIn(request) : '',
      // the border of decoding: the schemas of this very operation have just accepted both
      query: query as Call<Op>['query'],
      body: body as Call<Op>['body'],
      idempotencyKey,
      ifMatch,
      minPosition,
    };
  };
};

/** What a request without a body of its own may carry as one. */
const noFields = z.strictObject({});

const noQuery = Object.freeze({});

const isEmpty = (query: unknown): boolean => {
  for (const _ in query as object) return false;
  return true;
};

/** What the schema makes of a value. Only when it is refused, it is read again for a full account of its faults, which costs far more. */
const read = (
  schema: z.ZodObject,
  value: unknown,
  about: { in: 'body' | 'parameters'; immutable?: readonly string[] },
  faults: Fault[],
): unknown => {
  const accepted = schema.safeParse(value);
  if (accepted.success) return accepted.data;
  const refused = schema.safeParse(value, { reportInput: true });
  if (refused.error !== undefined)
    faults.push(...faultsOf(refused.error, { ...about, known: Object.keys(schema.shape) }));
  return undefined;
};

const idIn = ({ params }: FastifyRequest): string => {
  const { id = '' } = params as { id?: string };
  if (!/^[\w-]{1,100}$/.test(id))
    throw new DomainError('not_found', `there is no record ${JSON.stringify(id.slice(0, 100))}`);
  return id;
};

/** A sale with a transaction id of its own is told by that alone; the header is then not even looked at. */
const namesItself = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'external_transaction_id' in body;

/** Node joins headers that were sent twice by a comma, which may also stand in a key: then it takes a look at what was sent. */
const oneKey = ({ raw }: FastifyRequest, value: string): string | undefined => {
  const isOne = !value.includes(',') || raw.headersDistinct['idempotency-key']?.length === 1;
  return isOne && idempotencyKey.test(value) ? value : undefined;
};

const idempotencyKey = new RegExp(idempotencyKeyPattern);
