import type { MessagePort } from 'node:worker_threads';
import type { EncodedAppend } from '../encode-append.js';

/** The requests that handles on the log send to the writer's thread. */
export interface WriterMethods {
  /** Opens the file, once, for the owner of the thread. */
  open(): void;
  /** Adds the port of another handle. */
  connect(port: MessagePort): void;
  /** Commits a group of appends, and returns once all are durable. */
  append(appends: readonly EncodedAppend[]): Promise<CommitResult>;
  /** Finds out whether an append could be committed now. */
  probe(): void;
}

/** One answer per append of a group. */
export interface CommitResult {
  readonly responses: readonly AppendResponse[];
  /** Duration of the transaction in the writer's thread. */
  readonly commitMs: number;
}

/** The outcome of one append of a group. */
export type AppendResponse =
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
