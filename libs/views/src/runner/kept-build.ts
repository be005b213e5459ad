import type { Build } from '@refledger/read-store';
import type { View } from '../view.js';

/** A build and the code that keeps it, which is of the build's own version. */
export interface KeptBuild {
  readonly view: View;
  readonly build: Build;
}
