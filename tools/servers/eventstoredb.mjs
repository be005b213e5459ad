import { versions } from './servers-folder.mjs';

/** Nothing installs a real one without Docker: else its suites meet the double of libs/testing. */
export const eventstoredb = {
  engine: 'EventStoreDB',
  url: 'TEST_EVENTSTOREDB_URL',
  image: versions.eventstoredb.image,
  double: true,
};
