import type { Build } from '@refledger/read-store';
import type { Projection } from '../projection.js';

/** A build and the code that keeps it, which is of the build's own version. */
export interface KeptBuild {
  readonly projection: Projection;
  readonly build: Build;
}
