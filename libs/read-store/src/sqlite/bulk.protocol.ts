import type { Build, ReadStoreError } from '../read-store.js';
import type { BuildCheckpoint, EncodedCollection } from './guarded-writer.js';

/** What the thread for long writes is asked to do, one thing after the other. Everything but `gather` and `close` is answered. */
export type BulkOrder =
  /** Keep these for the commits that follow. */
  | ({ readonly kind: 'gather' } & EncodedCollection)
  /** Of what was gathered and not written yet, which must be `left` in all, write at most so many, in the order of ids; with the last ones these checkpoints. */
  | {
      readonly kind: 'commit';
      readonly most: number;
      readonly left: number;
      readonly checkpoints: readonly BuildCheckpoint[];
    }
  /** Run a statement that makes an index. */
  | { readonly kind: 'index'; readonly sql: string }
  | { readonly kind: 'drop'; readonly build: Build }
  /** Drop what builds that are no more have left. */
  | { readonly kind: 'sweep' }
  | { readonly kind: 'close' };

export type BulkAnswer =
  /** `left`: how many are still to be written. */
  | { readonly kind: 'done'; readonly left: number; readonly isAllKept: boolean }
  | { readonly kind: 'failed'; readonly failure: BulkFailure };

/** An error of the port, as it can be sent. */
export type BulkFailure =
  | { readonly kind: 'gone'; readonly build: Pick<Build, 'id' | 'projection'> }
  | {
      readonly kind: 'stale';
      readonly build: Pick<Build, 'id' | 'projection'>;
      readonly collection: string;
      readonly id: string;
    }
  | { readonly kind: ReadStoreError['kind']; readonly message: string };
