import {
  DomainError,
  includesScope,
  isId,
  validationError,
  operations,
  type Id,
  type IdKind,
  type ValidationIssue,
  type OperationId,
  type OperationSpec,
  type Position,
} from '@refledger/contracts';
import { newContext, type AccountContext } from '@refledger/application';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { notFound, type Caller } from '@refledger/queries';
import type { IfMatch } from './if-match.js';
import type { NdjsonBody } from './ndjson-body.js';
import { bodyReader, queryReader } from './request-input.js';
import { responseRequestId } from './request-id.js';
import { idempotencyKey, ifMatch, minPosition, readHeader } from './request-headers.js';

type Spec<Op extends OperationId> = (typeof operations)[Op];
type IdOf<S> = S extends { readonly id: infer K extends IdKind } ? Id<K> : undefined;
type IdsOf<S> = S extends { readonly ids: infer K extends Readonly<Record<string, IdKind>> }
  ? { readonly [Name in keyof K]: Id<K[Name]> }
  : undefined;
type QueryOf<S> = S extends { readonly query: infer Q extends z.ZodType } ? z.infer<Q> : unknown;
type BodyOf<S> = S extends { readonly body: infer B extends z.ZodType }
  ? z.infer<B>
  : S extends { readonly bodyLine: z.ZodType }
    ? NdjsonBody
    : undefined;

/** One request as a controller sees it: validated, typed and with its caller. */
export interface Call<Op extends OperationId> {
  readonly caller: Caller;
  readonly context: AccountContext;
  /** The `X-Request-Id` of the response. */
  readonly responseId: string;
  /** The `:id` of the path; undefined where the path has none. */
  readonly id: IdOf<Spec<Op>>;
  /** The other parameters of the path, by name; undefined where it has none. */
  readonly ids: IdsOf<Spec<Op>>;
  readonly query: QueryOf<Spec<Op>>;
  readonly body: BodyOf<Spec<Op>>;
  readonly idempotencyKey: string | undefined;
  readonly ifMatch: IfMatch | undefined;
  readonly minPosition: Position | undefined;
}

/** A request of a route that may have an `:id` and other parameters in its path. */
export type PathRequest = FastifyRequest<{ Params: Readonly<Record<string, string | undefined>> }>;

/** A controller's response. Header names are in lower case. */
export interface ApiResponse {
  readonly status: number;
  readonly body?: unknown;
  /** The body as JSON text, when the controller has it in that form already. */
  readonly json?: string;
  /** The body as NDJSON that is sent as it is read. */
  readonly ndjson?: Readable;
  /** The body as CSV that is sent as it is read. */
  readonly csv?: Readable;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Returns a function that validates an operation's headers, query and body. It throws one error
 * that names every issue.
 */
export const callReader = <Op extends OperationId>(
  operation: Op,
): ((request: PathRequest, caller: Caller) => Call<Op>) => {
  const spec: OperationSpec = operations[operation];
  const takesIfMatch = spec.etag === true && spec.method !== 'GET' && spec.method !== 'POST';
  const readQuery = queryReader(spec);
  const readBody = bodyReader(spec);

  return (request, caller) => {
    const issues: ValidationIssue[] = [];
    const query = readQuery(request.query, issues);
    const body = readBody(request.body, issues);
    const key =
      spec.idempotent && !hasField(body, spec.identifiedBy)
        ? readHeader(request, idempotencyKey, issues)
        : undefined;
    const position = readHeader(request, minPosition, issues);
    const revisions = takesIfMatch ? readHeader(request, ifMatch, issues) : undefined;
    if (issues.length > 0) throw validationError(issues);
    requireScopeOfFields(spec, body, caller);
    const call = {
      caller,
      context: newContext({
        accountId: caller.accountId,
        actor: caller.keyId,
        requestId: request.id,
      }),
      responseId: responseRequestId(request),
      id: spec.id && idIn(request, 'id', spec.id),
      ids: spec.ids && idsIn(request, spec.ids),
      query,
      body,
      idempotencyKey: key,
      ifMatch: revisions,
      minPosition: position,
    };
    // Decoding boundary: the operation's own schemas have just accepted all of this.
    return call as Call<Op>;
  };
};

/** Throws `insufficient_scope` if the body has a field that the key's scope does not allow. */
const requireScopeOfFields = (
  { adminFields }: OperationSpec,
  body: unknown,
  { scope }: Caller,
): void => {
  if (adminFields === undefined || includesScope(scope, 'admin')) return;
  const sent = adminFields.filter((field) => hasField(body, field));
  if (sent.length > 0)
    throw new DomainError(
      'insufficient_scope',
      `A request with ${sent.join(', ')} needs scope admin, but the key has scope ${scope}. Use a key with scope admin.`,
    );
};

const idIn = ({ params }: PathRequest, name: string, kind: IdKind): string => {
  const id = params[name] ?? '';
  if (!isId(kind, id)) throw notFound(kind, id);
  return id;
};

const idsIn = (request: PathRequest, kinds: Readonly<Record<string, IdKind>>): object =>
  Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => [name, idIn(request, name, kind)]),
  );

const hasField = (body: unknown, field: string | undefined): boolean =>
  field !== undefined && typeof body === 'object' && body !== null && field in body;
