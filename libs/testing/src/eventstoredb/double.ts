import type { Metadata, ServiceError } from '@grpc/grpc-js';
import type { AppendGroups } from './appending/append-groups.js';
import type { DoubleStore } from './sqlite/double-store.js';

/** The parts of a double that every call handler uses. */
export interface Double {
  readonly store: DoubleStore;
  readonly groups: AppendGroups;
  readonly liveBuffer: number;
  /**
   * Returns the error with which a call is refused: its user is not known, or another double leads.
   */
  readonly refusal: (metadata: Metadata) => (Partial<ServiceError> & Error) | undefined;
}
