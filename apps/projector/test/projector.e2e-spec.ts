import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DomainEvent, StreamName } from '@refledger/contracts';
import { embeddedUrls } from '@refledger/engines';
import { encodeEvent, openEventLog, type EventLog } from '@refledger/event-log';
import { startBatches } from '@refledger/platform/nest';
import { openReadStore, type ReadStore } from '@refledger/read-store';
import { waitFor } from '@refledger/testing';
import { programKey, programsProjection, type ProjectorStatus } from '@refledger/projections';
import { present } from '@refledger/testing/present';
import { startProjector } from '../src/index.js';

const directory = mkdtempSync(join(tmpdir(), 'refledger-projector-'));
const reported: ProjectorStatus[] = [];
const errors: string[] = [];
let log: EventLog;
let store: ReadStore;
let projector: Awaited<ReturnType<typeof startProjector>>;
beforeAll(async () => {
  log = await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir: directory, mode: 'write' });
  store = await openReadStore(embeddedUrls.READ_STORE_URL, { dataDir: directory, mode: 'write' });
  const logger = {
    info: () => undefined,
    warn: () => undefined,
    error: (_: object, message: string) => void errors.push(message),
  };
  projector = await startProjector({
    log,
    store,
    logger,
    startBatches,
    makeTerms: () => Promise.resolve([]),
    onStatus: (status) => reported.push(status),
  });
});
afterAll(async () => {
  await projector.close();
  await store.close();
  await log.close();
  rmSync(directory, { recursive: true });
});

const created = (program_id: `prog_${string}`) => ({
  program_id,
  created_by: 'request',
  after: {
    name: program_id,
    status: 'active',
    terms: null,
    terms_version: 0,
    affiliate_approval: 'manual',
    conversion_approval: 'manual',
    minimum_payout: {},
    metadata: {},
  },
});
const append = async (stream: StreamName, type: string, data: object) => {
  const { position } = await log.append(
    stream,
    [
      encodeEvent({ type, data } as DomainEvent, randomUUID(), {
        account_id: 'acct_1',
        actor: 'key_1',
        request_id: 'r',
        recorded_at: new Date().toISOString(),
      }),
    ],
    'no stream',
  );
  return present(position);
};
const stopped = () => waitFor(() => projector.status().state === 'stopped');
const has = async (program: `prog_${string}`) =>
  (await store.get(programsProjection, log.id, 'programs', programKey('acct_1', program))).value !==
  undefined;

it('maintains the read models through Nest', async () => {
  const position = await append(
    'refledger.program-acct_1-prog_a',
    'program.created',
    created('prog_a'),
  );

  expect(
    await store.waitForPosition(programsProjection, log.id, position, { timeoutMs: 10_000 }),
  ).toBe(true);
  expect(await has('prog_a')).toBe(true);
});

it('stops at a poison event, which Nest passes on unchanged, until it is skipped', async () => {
  const position = await append('refledger.x', 'not.known', {});
  const next = await append(
    'refledger.program-acct_1-prog_b',
    'program.created',
    created('prog_b'),
  );
  await stopped();
  expect(errors).toEqual([expect.stringContaining(`stopped at position ${position}`)]);
  expect(reported.at(-1)).toMatchObject({
    state: 'stopped',
    error: expect.stringContaining('not.known') as string,
  });

  await append('refledger.processor-projector', 'processor.skipped', {
    processor: 'projector',
    event_id: present(await log.eventAt(position)).id,
    position,
  });

  expect(await store.waitForPosition(programsProjection, log.id, next, { timeoutMs: 10_000 })).toBe(
    true,
  );
  expect(await has('prog_b')).toBe(true);
});
