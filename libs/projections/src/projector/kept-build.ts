import type { Build } from '@refledger/read-store';
import type { Projection } from '../projection.js';

/** A build, with the projection code of the build's own version. */
export interface KeptBuild {
  readonly projection: Projection;
  readonly build: Build;
}
