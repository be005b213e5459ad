import { join } from 'node:path';
import { openDatabase, SqliteError, type Database } from '@refledger/sqlite';

const applicationIds = {
  'events.db': 0x524c_4533,
  'read-models.db': 0x524c_5232,
  'deliveries.db': 0x524c_4436,
  'personal-keys.db': 0x524c_4b31,
};

export type DatabaseFile = keyof typeof applicationIds;

/** Opens a file of a data directory in the version that it has. */
export const openUnchanged = (directory: string, name: DatabaseFile): Database => {
  for (const migrations: string[] = []; ; migrations.push('')) {
    try {
      return openDatabase(join(directory, name), {
        format: { name: 'file', applicationId: applicationIds[name], migrations },
        synchronous: 'full',
      });
    } catch (error) {
      if (!(error instanceof SqliteError && error.fault === 'newer')) throw error;
    }
  }
};
