import type { z } from 'zod';
import type { ProblemCode } from '../problems.js';
import type { Scope } from '../scopes.js';

/** One operation of the HTTP interface: everything that routing, validation, serialisation and the OpenAPI document need to know of it. */
export interface OperationSpec {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Under the base URL; `:name` is a path parameter. */
  readonly path: `/v1/${string}`;
  readonly summary: string;
  readonly tag: 'Conversions' | 'Affiliates' | 'Webhooks' | 'Accounts and keys';
  readonly scope: Scope;
  readonly query: z.ZodObject;
  readonly body?: z.ZodObject;
  /** Fields of the record that exist but can't be sent: they answer `immutable_field` instead of `unknown_field`. */
  readonly immutable?: readonly string[];
  /** The answers, by status; null is no body. */
  readonly answers: Readonly<Record<number, z.ZodType | null>>;
  /** Problems of this operation beyond those that every one can answer. */
  readonly problems: readonly ProblemCode[];
  /** Takes `Idempotency-Key`. */
  readonly idempotent?: boolean;
  /** Answers with an `ETag`; on PATCH and DELETE it takes `If-Match`. */
  readonly etag?: boolean;
}
