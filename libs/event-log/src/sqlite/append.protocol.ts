import type { EncodedAppend } from '../encode-append.js';
import type { Failure } from './failure.js';

/**
 * A message from a handle to the writer's thread: a group of appends, or the port of another
 * handle.
 */
export type PortMessage =
  | { readonly kind: 'group'; readonly appends: readonly EncodedAppend[] }
  | { readonly kind: 'port'; readonly port: import('node:worker_threads').MessagePort };

/**
 * The answer to a group: one answer per append once all are durable, or why none was written. A
 * port has at most one group in flight.
 */
export type GroupAnswer =
  | {
      readonly kind: 'committed';
      readonly answers: readonly AppendAnswer[];
      readonly commitMs: number;
    }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** The outcome of one append of a group. */
export type AppendAnswer =
  | { readonly kind: 'appended'; readonly revision: number; readonly position: number }
  | { readonly kind: 'wrong_revision'; readonly actual: number | 'no stream' };

/** The data that the thread starts with. */
export interface WriterStart {
  readonly file: string;
  /** The first append to a log that is still empty. */
  readonly opening: EncodedAppend;
  /** The memory of the log's `StreamChanges`. */
  readonly changes: SharedArrayBuffer;
}

/** The thread's only report about itself, sent at its start. */
export type WriterReport =
  { readonly kind: 'opened' } | { readonly kind: 'refused'; readonly failure: Failure };
/** A message from the thread's owner. */
export type WriterOrder = { readonly kind: 'close' };
