import type { ReadStore } from '../read-store.js';

/**
 * Opens another store over the storage of a test, by default for writing. The suite closes it after
 * the test.
 */
export type OpenStore = (mode?: 'write' | 'read') => Promise<ReadStore>;
