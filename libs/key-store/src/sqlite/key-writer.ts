import { existsSync, statSync } from 'node:fs';
import { GroupWriter, openDatabase } from '@refledger/sqlite';
import { noStore } from './facts.js';
import { keyFile, type KeyFile } from './key-file.js';
import { keyStoreFormat } from './key-store.format.js';

/** The writer of a key file, which it opens with the first group. */
export const keyWriter = (file: string, create: boolean): GroupWriter<KeyFile> =>
  new GroupWriter(file, () => {
    if (!create && !(existsSync(file) && statSync(file).size > 0)) throw noStore(file);
    const db = openDatabase(file, { format: keyStoreFormat, synchronous: 'full' });
    db.exec('PRAGMA secure_delete = ON');
    return { db, methods: keyFile(db) };
  });
