import type { ReadStore } from '../read-store.js';

/** Opens one more store on the place of a test, which is closed after it. */
export type OpenStore = () => Promise<ReadStore>;
