import type { Metadata, ServiceError } from '@grpc/grpc-js';
import type { AppendGroups } from './append-groups.js';
import type { DoubleStore } from './sqlite/double-store.js';

/** What every call is given. */
export interface Double {
  readonly store: DoubleStore;
  readonly groups: AppendGroups;
  readonly liveBuffer: number;
  /** The error that this call ends with before it begins: who asks isn't known, or another double leads. */
  readonly refusal: (metadata: Metadata) => (Partial<ServiceError> & Error) | undefined;
}
