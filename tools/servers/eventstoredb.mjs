import { versions } from './servers-folder.mjs';

/**
 * A real EventStoreDB needs Docker or a URL; without either, its suites use the double of
 * libs/testing.
 */
export const eventstoredb = {
  engine: 'EventStoreDB',
  url: 'TEST_EVENTSTOREDB_URL',
  image: versions.eventstoredb.image,
  double: true,
};
