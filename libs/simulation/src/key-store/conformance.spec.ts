import type { KeyStore } from '@refledger/key-store';
import { keyStoreConformance } from '@refledger/key-store/conformance';
import { systemClock } from '../clock.js';
import { SimulatedEngines } from '../simulated-engines.js';

const engines = new SimulatedEngines(systemClock);
let fixtures = 0;

keyStoreConformance('a simulated key store', () => {
  const name = `keys ${++fixtures}`;
  const open = (create: boolean, newId?: string): Promise<KeyStore> =>
    new Promise((resolve) => resolve(engines.openKeys(name, { create, newId })));
  return Promise.resolve({ open, read: () => open(false), remove: () => Promise.resolve() });
});
