import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataDirectory } from '@refledger/engines';
import {
  day,
  eventually,
  MovableClock,
  startHookReceiver,
  TestAccount,
  type StandaloneService,
} from '@refledger/testing';
import { compareResponses } from './compare-responses.js';
import { saveFixture } from './fixture.js';
import { formatIdsOf } from './format-ids.js';
import { headOf, historyOf } from './log-lines.js';
import type { Manifest } from './manifest.js';
import {
  recordDecisions,
  rotateSecretsKey,
  startRestored,
  type ServiceSettings,
} from './operate.js';
import { readApi, type Responses } from './read-api.js';
import { retrySchedule, writeDeliveries, writeEndpoints } from './write-webhooks.js';
import { writeChapter, writeMoney } from './write-money.js';
import { writeRecords } from './write-records.js';

/** Records the fixture of a release with the current build, in place of an earlier one. */
export const recordFixture = async (release: string): Promise<void> => {
  const directory = await mkdtemp(join(tmpdir(), 'refledger-fixture-'));
  const clock = new MovableClock(join(directory, 'clock'));
  // far from midnight, so that what is payable stays so until the fixture is read
  clock.startAt(6 * hourMs - (Date.now() % day));
  const env = {
    ...clock.env,
    BOOTSTRAP_API_KEY: 'operator-key-of-the-fixture',
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'warn',
    WEBHOOK_RETRY_SCHEDULE: retrySchedule,
  };
  try {
    await recordIn(directory, release, { clock, env });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};

const hourMs = 3_600_000;

const recordIn = async (
  directory: string,
  release: string,
  settings: ServiceSettings,
): Promise<void> => {
  let service = await startRestored(directory, settings);
  const { dataDir } = service;
  const receiver = await startHookReceiver();
  try {
    const account = await TestAccount.open(service);
    const recording = { account, receiver, service, clock: settings.clock };
    await writeChapter(account);
    const endpoints = await writeEndpoints(recording);
    const records = await writeRecords(account);
    await writeMoney(account, records);
    await recordDecisions(recording, settings);
    await writeDeliveries(recording, endpoints);
    const secretsKey = `${randomBytes(32).toString('base64')},${await oldKeyOf(dataDir)}`;
    service = await rotateSecretsKey(service, secretsKey, settings);
    const readAt = new Date(settings.clock.now()).toISOString();
    const manifest = {
      read_at: readAt,
      month: readAt.slice(0, 7),
      account_id: account.id,
      operator_key: service.adminKey,
      account_key: account.api.key ?? '',
      secrets_key: secretsKey,
    };
    const expected = await readSettled(service, manifest);
    await service.stop();
    const formats = await formatIdsOf(dataDir);
    const history = await historyOf(dataDir);
    const fixture = { release, manifest: { formats, ...manifest }, expected, history };
    await saveFixture(fixture, dataDir);
  } finally {
    await service.kill();
    await receiver.close();
  }
};

const oldKeyOf = async (dataDir: string): Promise<string> =>
  (await readFile(dataDirectory(dataDir).secretsKey, 'utf8')).trim();

/** What the API says once every processor has done its work and nothing is due. */
const readSettled = async (
  service: StandaloneService,
  manifest: Omit<Manifest, 'formats'>,
): Promise<Responses> => {
  // the second time, for what a processor has appended because of the first
  await service.caughtUp();
  await service.caughtUp();
  const read = async (): Promise<Responses> =>
    readApi({ baseUrl: service.baseUrl, manifest, position: await headOf(service.dataDir) });
  let before = await read();
  return eventually(async () => {
    const now = await read();
    const changes = compareResponses(before, now);
    before = now;
    if (changes.length > 0) throw new Error(`still changing: ${changes.join('\n')}`);
    return now;
  });
};
