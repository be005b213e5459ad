import type { EncodedAppend } from '../encode-append.js';
import type { Failure } from './failure.js';

/** What a handle sends the writer's thread over its port: appends that were waiting together, or the port of one more handle. */
export type PortMessage =
  | { readonly kind: 'group'; readonly appends: readonly EncodedAppend[] }
  | { readonly kind: 'port'; readonly port: import('node:worker_threads').MessagePort };

/** The answer to a group, one for each append, once all are durable; or why none was written. A port has one group under way at most. */
export type GroupAnswer =
  | {
      readonly kind: 'committed';
      readonly answers: readonly AppendAnswer[];
      readonly commitMs: number;
    }
  | { readonly kind: 'failed'; readonly failure: Failure };

export type AppendAnswer =
  | { readonly kind: 'appended'; readonly revision: number; readonly position: number }
  | { readonly kind: 'wrong_revision'; readonly actual: number | 'no stream' };

/** What the thread is started with. */
export interface WriterStart {
  readonly file: string;
  /** The first event of a log that is still empty. */
  readonly opening: EncodedAppend;
  /** The memory of the log's `StreamChanges`. */
  readonly changes: SharedArrayBuffer;
}

/** What the thread says of itself: once at its start. */
export type WriterReport =
  { readonly kind: 'opened' } | { readonly kind: 'refused'; readonly failure: Failure };
/** What its owner tells it. */
export type WriterOrder = { readonly kind: 'close' };
