import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The paths of the files in the data directory, which the `sqlite:` adapters share. */
export interface DataDirectory {
  readonly path: string;
  readonly events: string;
  readonly readModels: string;
  readonly deliveries: string;
  readonly personalKeys: string;
  readonly secretsKey: string;
  readonly apiKey: string;
  readonly moved: string;
  readonly backup: string;
}

/** Returns the paths for a directory, which it does not create. */
export const dataDirectory = (dataDir: string): DataDirectory => {
  const path = resolve(dataDir);
  return {
    path,
    events: join(path, 'events.db'),
    readModels: join(path, 'read-models.db'),
    deliveries: join(path, 'deliveries.db'),
    personalKeys: join(path, 'personal-keys.db'),
    secretsKey: join(path, 'secrets.key'),
    apiKey: join(path, 'api-key'),
    moved: join(path, 'moved.json'),
    backup: join(path, 'backup.json'),
  };
};

/** Creates the directory, accessible only to its owner, if it does not exist. */
export const makeDataDirectory = (directory: DataDirectory): void => {
  mkdirSync(directory.path, { recursive: true, mode: 0o700 });
};
