import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyStoreConformance } from '../conformance/index.js';
import { openKeyReader, openKeyStore } from '../open-key-store.js';

keyStoreConformance('SQLite', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'refledger-keys-'));
  return Promise.resolve({
    open: (create, newId) => openKeyStore('sqlite:', { dataDir, create, newId }),
    read: () => openKeyReader('sqlite:', { dataDir }),
    remove: () => Promise.resolve(rmSync(dataDir, { recursive: true })),
  });
});
