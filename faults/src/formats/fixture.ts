import { readdirSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress } from 'node:zlib';
import { dataDirectory } from '@refledger/engines';
import { copyDatabase } from '@refledger/sqlite';
import type { Manifest } from './manifest.js';
import type { Responses } from './read-api.js';

/** The directory with one fixture per released format, named after the release. */
const fixturesDirectory = fileURLToPath(new URL('../../fixtures', import.meta.url));

/** A data directory that a release left, the same history for another log, and what its API said. */
export interface Fixture {
  readonly release: string;
  readonly manifest: Manifest;
  readonly expected: Responses;
  /** NDJSON. */
  readonly history: string;
}

/** The releases with a fixture, the oldest first. */
export const fixtureReleases = (): readonly string[] =>
  readdirSync(fixturesDirectory).toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));

export const loadFixture = async (release: string): Promise<Fixture> => {
  const directory = join(fixturesDirectory, release);
  // decoding boundary: `saveFixture` has written these files
  const manifest = JSON.parse(await readFile(join(directory, 'manifest.json'), 'utf8')) as Manifest;
  const expected = JSON.parse(await unpacked(directory, 'expected.json')) as Responses;
  return { release, manifest, expected, history: await unpacked(directory, 'history.ndjson') };
};

/** Replaces the fixture of a release. `dataDir` is the directory of a service that has ended. */
export const saveFixture = async (
  { release, manifest, expected, history }: Fixture,
  dataDir: string,
): Promise<void> => {
  const directory = join(fixturesDirectory, release);
  await rm(directory, { recursive: true, force: true });
  await mkdir(join(directory, 'data'), { recursive: true });
  for (const name of databases) {
    // a copy has no write-ahead log
    const copy = join(dataDir, `${name}.copy`);
    await copyDatabase(join(dataDir, name), copy);
    await packTo(join(directory, 'data', name), await readFile(copy));
  }
  const { secretsKey } = dataDirectory(dataDir);
  await packTo(join(directory, 'data', basename(secretsKey)), await readFile(secretsKey));
  await packTo(join(directory, 'expected.json'), Buffer.from(JSON.stringify(expected)));
  await packTo(join(directory, 'history.ndjson'), Buffer.from(history));
  await writeFile(join(directory, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
};

/** Unpacks the data directory of a fixture. */
export const copyData = async (release: string, dataDir: string): Promise<void> => {
  const packed = join(fixturesDirectory, release, 'data');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  for (const file of await readdir(packed)) {
    const content = await promisify(brotliDecompress)(await readFile(join(packed, file)));
    await writeFile(join(dataDir, file.slice(0, -extension.length)), content, { mode: 0o600 });
  }
};

const extension = '.br';

const databases = ['events.db', 'deliveries.db', 'personal-keys.db', 'read-models.db'] as const;

const packTo = async (file: string, content: Buffer): Promise<void> =>
  writeFile(`${file}${extension}`, await promisify(brotliCompress)(content));

const unpacked = async (directory: string, name: string): Promise<string> => {
  const content = await readFile(join(directory, `${name}${extension}`));
  return (await promisify(brotliDecompress)(content)).toString('utf8');
};
