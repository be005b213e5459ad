import type { z } from 'zod';
import type { ProblemCode } from '../problems.js';
import type { Scope } from '../scopes.js';

/**
 * One operation of the HTTP API: everything that routing, validation, serialisation and the OpenAPI
 * document need to know about it.
 */
export interface OperationSpec {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The path under the base URL; `:name` is a path parameter. */
  readonly path: `/v1/${string}`;
  readonly summary: string;
  readonly tag: 'Conversions' | 'Affiliates' | 'Webhooks' | 'Accounts and keys';
  readonly scope: Scope;
  readonly query: z.ZodObject;
  readonly body?: z.ZodObject;
  /**
   * Fields of the record that cannot be sent: they are refused as `immutable_field` instead of
   * `unknown_field`.
   */
  readonly immutable?: readonly string[];
  /** The schemas of the successful answers, by status; null means no body. */
  readonly answers: Readonly<Record<number, z.ZodType | null>>;
  /** The problems of this operation besides those that every operation can answer. */
  readonly problems: readonly ProblemCode[];
  /** Whether it takes `Idempotency-Key`. */
  readonly idempotent?: boolean;
  /** Whether its answers have an `ETag`; if so, PATCH and DELETE take `If-Match`. */
  readonly etag?: boolean;
}
