/// <reference types="jest" />
import type { ReadStore } from '../read-store.js';
import { buildsConformance } from './builds.conformance.js';
import { findConformance } from './find.conformance.js';
import { keyUsesConformance } from './key-uses.conformance.js';
import { leasesConformance } from './leases.conformance.js';
import type { OpenStore } from './open-store.js';
import { waitForPositionConformance } from './wait-for-position.conformance.js';
import { saveConformance } from './save.conformance.js';
import { multikeyConformance } from './multikey.conformance.js';
import { sparseConformance } from './sparse.conformance.js';
import { staleConformance } from './stale.conformance.js';

/**
 * Empty storage for read models, which several stores can open at the same time, as several
 * processes would.
 */
export interface ReadStoreDatabase {
  open(mode: 'write' | 'read'): Promise<ReadStore>;
  /** Removes the storage. The stores are closed already. */
  remove(): Promise<void>;
}

export interface ConformanceOptions {
  /**
   * A number of documents that the adapter saves differently, or in several parts: 1,200 or more.
   */
  readonly bulkSize?: number;
}

/** The tests that every `ReadStore` adapter must pass. */
export const readStoreConformance = (
  name: string,
  newDatabase: () => Promise<ReadStoreDatabase>,
  { bulkSize = 5_000 }: ConformanceOptions = {},
): void => {
  describe(`${name} as a read store`, () => {
    let place: ReadStoreDatabase;
    let opened: ReadStore[];
    const open: OpenStore = async (mode = 'write') => {
      const store = await place.open(mode);
      opened.push(store);
      return store;
    };
    beforeEach(async () => {
      place = await newDatabase();
      opened = [];
    });
    afterEach(async () => {
      for (const store of opened) await store.close();
      await place.remove();
    });

    saveConformance(open, bulkSize);
    staleConformance(open, bulkSize);
    findConformance(open);
    sparseConformance(open);
    multikeyConformance(open, bulkSize);
    buildsConformance(open);
    waitForPositionConformance(open);
    leasesConformance(open);
    keyUsesConformance(open);
  });
};
