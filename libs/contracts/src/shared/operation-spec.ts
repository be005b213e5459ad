import { z } from 'zod';
import type { IdKind } from '../ids/ids.js';
import { hasMoreSchema, nextCursorSchema, objectOf } from './record-fields.js';
import type { ProblemCode } from '../problems/problems.js';
import type { Scope } from '../scopes.js';

/**
 * One operation of the HTTP API: everything that routing, validation, serialization and the OpenAPI
 * document need to know about it.
 */
export interface OperationSpec {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The path under the base URL; `:name` is a path parameter. */
  readonly path: `/v1/${string}`;
  /** The kind of the `:id` in the path. */
  readonly id?: IdKind;
  /** The kinds of the other path parameters, by their names. */
  readonly ids?: Readonly<Record<string, IdKind>>;
  readonly summary: string;
  readonly scope: Scope;
  /** Absent when it takes no query parameters. */
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** Whether a missing body counts as an empty object. */
  readonly bodyIsOptional?: true;
  /** The schema of a line of the body, which is NDJSON that is read as it arrives. */
  readonly bodyLine?: z.ZodObject;
  /** Fields of the body that need scope `admin`, whatever the operation itself needs. */
  readonly adminFields?: readonly string[];
  /**
   * Fields of the record that cannot be sent: they are refused as `immutable_field` instead of
   * `unknown_field`.
   */
  readonly immutable?: readonly string[];
  /** The schemas of the successful responses, by status; null means no body. */
  readonly responses: Readonly<Record<number, z.ZodType | null>>;
  /**
   * Whether a successful response is NDJSON that is sent as it is read. The schema describes one
   * line.
   */
  readonly streamed?: boolean;
  /**
   * Whether `format=csv` returns its rows as CSV, which is sent as it is read. The schema describes
   * the JSON.
   */
  readonly csv?: boolean;
  /** Whether a successful response is a CSV file that is sent as it is read. */
  readonly file?: boolean;
  /** The problems of this operation besides those that follow from its other members. */
  readonly problems?: readonly ProblemCode[];
  /** Whether it takes `Idempotency-Key`. */
  readonly idempotent?: boolean;
  /**
   * A field that identifies the record by itself: when it is sent, `Idempotency-Key` is ignored.
   */
  readonly identifiedBy?: string;
  /**
   * False if its responses reflect no position of the log, like those about deliveries, which are
   * kept outside the log.
   */
  readonly hasPosition?: false;
  /** Whether its responses have an `ETag`; if so, PATCH and DELETE take `If-Match`. */
  readonly etag?: boolean;
}

/**
 * Whether an operation only reads, at a position of the log. So does a POST that a key with scope
 * `read` may send.
 */
export const isRead = ({ method, scope, hasPosition }: OperationSpec): boolean =>
  hasPosition !== false && (method === 'GET' || scope === 'read');

/** Returns the schema of a response that holds one page of a list of these records. */
export const listOf = <T extends z.ZodType>(record: T, id: string) =>
  z
    .strictObject({
      object: objectOf('list'),
      data: z.array(record).describe('The records of this page.'),
      has_more: hasMoreSchema,
      next_cursor: nextCursorSchema,
    })
    .meta({ id });

/** Returns the names of the fields of a record that its patch cannot change. */
export const immutableIn = (record: z.ZodObject, patch: z.ZodObject): readonly string[] =>
  Object.keys(record.shape).filter((key) => !(key in patch.shape));
