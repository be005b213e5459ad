import { BuildNotFoundError, ReadStoreError, StaleDocument, type Build } from '../../read-store.js';

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

/** Converts an error of the port. Rethrows programming errors, which end the thread. */
export const failureOf = (error: unknown): BulkFailure => {
  if (error instanceof BuildNotFoundError) return { kind: 'gone', build: error.build };
  if (error instanceof StaleDocument)
    return { kind: 'stale', build: error.build, collection: error.collection, id: error.id };
  if (error instanceof ReadStoreError) return { kind: error.kind, message: error.message };
  throw error;
};

export const errorOf = (failure: BulkFailure): Error => {
  switch (failure.kind) {
    case 'gone':
      return new BuildNotFoundError(failure.build);
    case 'stale':
      return new StaleDocument(failure.build, failure.collection, failure.id);
    case 'unavailable':
    case 'unusable':
    case 'unstorable':
      return new ReadStoreError(failure.kind, failure.message);
  }
};
