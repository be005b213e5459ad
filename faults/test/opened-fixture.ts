import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embeddedUrls } from '@refledger/engines';
import { openKeyReader, type KeyRow } from '@refledger/key-store';
import { MovableClock, startStandalone, type StandaloneService } from '@refledger/testing';
import { copyData, loadFixture, type Fixture } from '../src/formats/fixture.js';
import { headOf } from '../src/formats/log-lines.js';
import type { Manifest } from '../src/formats/manifest.js';
import { readApi, type Responses } from '../src/formats/read-api.js';
import { allVerifiable, verify, type Verification } from '../src/verify.js';

/** Everything that the current build finds in a copy of a fixture. */
export interface OpenedFixture {
  readonly fixture: Fixture;
  readonly found: Responses;
  readonly verified: readonly Verification[];
  /** Before the service was started, and after it has ended. */
  readonly keys: readonly (readonly KeyRow[])[];
}

/** Starts the standalone service on a copy of the fixture, and reads everything. */
export const openFixture = async (release: string): Promise<OpenedFixture> => {
  const fixture = await loadFixture(release);
  const directory = await mkdtemp(join(tmpdir(), 'refledger-released-'));
  const dataDir = join(directory, 'data');
  let service: StandaloneService | undefined;
  try {
    await copyData(release, dataDir);
    const before = (await keyStoreIn(dataDir)).rows;
    const env = settingsOf(fixture.manifest, join(directory, 'clock'));
    service = await startStandalone({ dataDir, env });
    const { baseUrl } = service;
    const position = await headOf(dataDir);
    const found = await readApi({ baseUrl, position, manifest: fixture.manifest });
    await service.stop();
    const verified: Verification[] = [];
    for (const what of allVerifiable)
      verified.push(await verify(what, { ...env, DATA_DIR: dataDir }));
    return { fixture, found, verified, keys: [before, (await keyStoreIn(dataDir)).rows] };
  } finally {
    await service?.kill();
    await rm(directory, { recursive: true, force: true });
  }
};

/** The settings with which a service opens a fixture, at the time when it was read. */
export const settingsOf = (manifest: Manifest, clockFile: string): Record<string, string> => {
  const clock = new MovableClock(clockFile);
  clock.startAt(Date.parse(manifest.read_at) - Date.now());
  return {
    ...clock.env,
    BOOTSTRAP_API_KEY: manifest.operator_key,
    SECRETS_KEY: manifest.secrets_key,
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'warn',
  };
};

/** The id and all rows of the key store in a data directory. */
export const keyStoreIn = async (
  dataDir: string,
): Promise<{ readonly id: string; readonly rows: readonly KeyRow[] }> => {
  const reader = await openKeyReader(embeddedUrls.KEY_STORE_URL, { dataDir });
  try {
    const all: KeyRow[] = [];
    for await (const rows of reader.scan()) all.push(...rows);
    return { id: reader.id, rows: all };
  } finally {
    await reader.close();
  }
};
