export { startEventStoreDbCluster } from './double-cluster.js';
export type { DoubleCluster } from './double-cluster.js';
export { startEventStoreDbDouble } from './double-process.js';
export type { DoubleServer } from './double-process.js';
export { openRawClient } from './raw-client.js';
export type { RawClient } from './raw-client.js';
export { storedEvents } from './stored-events.js';
