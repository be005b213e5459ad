import type { ReadStore } from '../read-store.js';

/** Opens another store over the storage of a test. The suite closes it after the test. */
export type OpenStore = () => Promise<ReadStore>;
