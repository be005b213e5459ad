import type { Build, ReadStoreError } from '../read-store.js';
import type { BuildCheckpoint, EncodedCollection } from './guarded-writer.js';

/**
 * An order to the thread for long writes, which executes orders one after another. It answers every
 * order except `gather` and `close`.
 */
export type BulkOrder =
  /** Buffer these documents for later commits. */
  | ({ readonly kind: 'gather' } & EncodedCollection)
  /**
   * Write at most `most` of the buffered documents, in the order of ids. Exactly `left` documents
   * must be buffered. The transaction of the last documents also raises the checkpoints.
   */
  | {
      readonly kind: 'commit';
      readonly most: number;
      readonly left: number;
      readonly checkpoints: readonly BuildCheckpoint[];
    }
  /** Run a statement that creates an index. */
  | { readonly kind: 'index'; readonly sql: string }
  | { readonly kind: 'drop'; readonly build: Build }
  /** Drop the tables of builds that no longer exist. */
  | { readonly kind: 'sweep' }
  | { readonly kind: 'close' };

/** The answer to a `BulkOrder`. */
export type BulkAnswer =
  /** `left` is the number of documents still to be written. */
  | { readonly kind: 'done'; readonly left: number; readonly isAllKept: boolean }
  | { readonly kind: 'failed'; readonly failure: BulkFailure };

/** An error of the port in a form that can be posted between threads. */
export type BulkFailure =
  | { readonly kind: 'gone'; readonly build: Pick<Build, 'id' | 'projection'> }
  | {
      readonly kind: 'stale';
      readonly build: Pick<Build, 'id' | 'projection'>;
      readonly collection: string;
      readonly id: string;
    }
  | { readonly kind: ReadStoreError['kind']; readonly message: string };
