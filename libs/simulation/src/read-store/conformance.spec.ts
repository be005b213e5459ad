import type { ReadStore } from '@refledger/read-store';
import { readStoreConformance } from '@refledger/read-store/conformance';
import { systemClock } from '../clock.js';
import { CommittedReadModels } from './committed-read-models.js';
import { SimulatedReadStore } from './simulated-read-store.js';

const conformance = (name: string, capabilities: ReadStore['capabilities']): void =>
  readStoreConformance(
    name,
    () => {
      const committed = new CommittedReadModels(systemClock);
      return Promise.resolve({
        open: () => Promise.resolve(new SimulatedReadStore(committed, systemClock, capabilities)),
        remove: () => Promise.resolve(),
      });
    },
    { bulkSize: 1_200 },
  );

conformance('a simulated store', { instantScans: true, leases: true });
conformance('a simulated store without capabilities', { instantScans: false, leases: false });
