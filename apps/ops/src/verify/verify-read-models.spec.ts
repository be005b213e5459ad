import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  newId,
  noCommission,
  streams,
  type ConversionFields,
  type ConversionId,
  type DomainEvent,
  type Position,
  type StreamName,
} from '@refledger/contracts';
import { noDecisions } from '@refledger/domain';
import { affiliateEvents } from '@refledger/domain/testing';
import { embeddedUrls } from '@refledger/engines';
import { encodeEvent, openEventLog, type EventLog } from '@refledger/event-log';
import { openReadStore, type Build, type Document, type ReadStore } from '@refledger/read-store';
import { affiliateStatsProjection, conversionsProjection } from '@refledger/projections';
import { present } from '@refledger/testing/present';
import { openScratchStore } from '../engines/scratch-store.js';
import { Refold } from './refold.js';
import { verifyReadModels, type Finding } from './verify-read-models.js';

const projections = [conversionsProjection, affiliateStatsProjection];
const signal = new AbortController().signal;
const affiliate = newId('affiliate');
const fields: ConversionFields = {
  status: 'pending',
  sale_amount: 4_900,
  refunded_amount: 0,
  commission_amount: 100,
  commission: noCommission,
  reason: null,
  metadata: {},
  payout_id: null,
};

describe('verifying a store without instant scans, while a projector works', () => {
  let directory: string;
  let log: EventLog;
  let stored: ReadStore;
  let scratch: ReadStore;
  /** Runs between the read of a checkpoint and the read of the documents after it. */
  let meanwhile: (step: 'scan' | 'load') => Promise<void>;
  let first: ConversionId;

  const append = async (
    stream: StreamName,
    event: DomainEvent,
    expected: 'no stream' | number,
  ): Promise<Position> => {
    const { position } = await log.append(
      stream,
      [
        encodeEvent(event, randomUUID(), {
          account_id: newId('account'),
          actor: 'test',
          request_id: 'r',
          recorded_at: '2026-01-31T09:30:00.000Z',
        }),
      ],
      expected,
    );
    if (position === undefined) throw new Error('the log returned no position');
    return position;
  };
  const sale = async (): Promise<ConversionId> => {
    const id = newId('conversion');
    await append(
      streams.conversion(id),
      { type: 'conversion.created', data: { ...conversionData(id), basis, after: fields } },
      'no stream',
    );
    return id;
  };
  const approve = (id: ConversionId): Promise<Position> =>
    append(
      streams.conversion(id),
      {
        type: 'conversion.approved',
        data: { ...conversionData(id), before: fields, after: { ...fields, status: 'approved' } },
      },
      0,
    );
  const refund = (id: ConversionId): Promise<Position> =>
    append(
      streams.conversion(id),
      {
        type: 'conversion.refunded',
        data: {
          ...conversionData(id),
          before: { ...fields, status: 'approved' },
          after: { ...fields, status: 'refunded' },
        },
      },
      1,
    );
  /** Does the projector's work, up to the head. */
  const project = async (): Promise<void> => {
    const projector = new Refold(
      log,
      stored,
      { skipped: new Set(), decisions: noDecisions },
      signal,
    );
    await projector.applyUpTo(present(await log.head()), projections);
    for (const projection of projections) await stored.goLive(await projector.buildOf(projection));
  };
  const buildOf = async (projection: string): Promise<Build> =>
    present((await stored.builds(projection)).at(-1));
  /** Changes a stored record without an event. `position` must be later than the document's. */
  const tamper = async (
    id: string,
    record: NonNullable<Document['record']> | null,
    position: Position,
  ): Promise<void> => {
    const build = await buildOf('conversions');
    const [before] = await stored.load(build, 'conversions', [id]);
    await stored.save([
      {
        build,
        checkpoint: present(build.checkpoint),
        documents: new Map([
          [
            'conversions',
            [
              {
                id,
                readPosition: before?.position,
                position,
                document: record && {
                  ...before?.document,
                  record: { ...before?.document?.record, ...record },
                },
              },
            ],
          ],
        ]),
      },
    ]);
  };
  const verify = async (): Promise<readonly Finding[]> => {
    const store: ReadStore = Object.assign(Object.create(stored) as ReadStore, {
      capabilities: { ...stored.capabilities, instantScans: false },
      async *scan(build: Build, collection: string) {
        const checkpoint = (await buildOf(build.projection)).checkpoint;
        await meanwhile('scan');
        for await (const { documents } of stored.scan(build, collection))
          yield { documents, checkpoint };
      },
      load: async (build: Build, collection: string, ids: readonly string[]) => {
        await meanwhile('load');
        return stored.load(build, collection, ids);
      },
    });
    const findings: Finding[] = [];
    for await (const finding of verifyReadModels({
      log,
      store,
      scratch,
      projections,
      progress: { update: () => undefined, end: () => undefined },
      signal,
    }))
      findings.push(finding);
    return findings;
  };
  const differences = (findings: readonly Finding[]) =>
    findings.flatMap((finding) =>
      finding.kind === 'difference'
        ? [
            [
              finding.projection,
              finding.difference.id,
              finding.difference.kind === 'field'
                ? finding.difference.field
                : finding.difference.kind,
            ],
          ]
        : [],
    );

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'refledger-verify-'));
    log = await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir: directory, mode: 'write' });
    stored = await openReadStore(embeddedUrls.READ_STORE_URL, {
      dataDir: directory,
      mode: 'write',
    });
    scratch = await openScratchStore();
    meanwhile = () => Promise.resolve();
    await append(
      streams.affiliate(affiliate),
      affiliateEvents.created({ affiliate_id: affiliate, program_id: 'prog_spring' }),
      'no stream',
    );
    first = await sale();
    for (let n = 0; n < 5; n++) await sale();
    await project();
  });
  afterEach(async () => {
    for (const open of [log, stored, scratch]) await open.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('finds no difference when every document changes during the scan, and again during the recheck', async () => {
    const changing = await Promise.all(Array.from({ length: 5 }, sale));
    await project();
    const steps: string[] = [];
    meanwhile = async (step) => {
      // In another order than the ids.
      for (const id of changing.sort().reverse())
        await (steps.length === 0
          ? approve(id)
          : steps.length === 1
            ? refund(id)
            : Promise.resolve());
      steps.push(step);
      await sale();
      await project();
    };

    const findings = await verify();

    expect(differences(findings)).toEqual([]);
    expect(
      findings.flatMap((finding) => (finding.kind === 'compared' ? [finding.differing] : [])),
    ).toEqual([0, 0]);
    expect(steps).toEqual(['scan', 'load', 'scan', 'load']);
  });

  it('finds wrong documents, whether they were wrong before or became so meanwhile', async () => {
    const [wrong, gone, late] = [await sale(), await sale(), await sale()];
    await project();
    const reached = present((await buildOf('conversions')).checkpoint).position;
    await tamper(wrong, { reason: 'no one knows' }, reached);
    await tamper(gone, null, reached);
    await tamper('conv_made_up', { status: 'approved' }, reached);
    let position: Position | undefined;
    meanwhile = async (step) => {
      await sale();
      await project();
      // Simulates a projector that folds wrongly: at the right position, and before it saves its
      // checkpoint.
      if (step === 'load' && position === undefined)
        await tamper(late, { status: 'refunded' }, (position = await approve(late)));
      if (step === 'scan')
        await tamper(
          late,
          { reason: 'no one knows' },
          present((await buildOf('conversions')).checkpoint).position,
        );
    };

    const found = differences(await verify());

    expect(found).toEqual(
      expect.arrayContaining([
        ['conversions', wrong, 'record.reason'],
        ['conversions', gone, 'missing'],
        ['conversions', 'conv_made_up', 'extra'],
        ['conversions', late, 'record.status'],
      ]),
    );
    expect(new Set(found.map(([, id]) => id))).toEqual(
      new Set([wrong, gone, 'conv_made_up', late]),
    );
  });

  it('finds a lost change even while the projector continues', async () => {
    const { document } = present(
      (await stored.load(await buildOf('conversions'), 'conversions', [first]))[0],
    );
    await approve(first);
    await sale();
    await project();
    // As if the approval had never been saved.
    await tamper(
      first,
      document?.record ?? null,
      present((await buildOf('conversions')).checkpoint).position,
    );
    meanwhile = async () => {
      await sale();
      await project();
    };
    expect(differences(await verify())).toContainEqual(['conversions', first, 'record.status']);
  });
});

const basis = { reported_occurred_at: null, terms: null, first_occurred_at: null };
const conversionData = (id: ConversionId) => ({
  conversion_id: id,
  affiliate_id: affiliate,
  program_id: 'prog_spring' as const,
  occurred_at: '2026-01-31T09:30:00.000Z',
  payable_on: '2026-01-31',
  sale_currency: 'USD',
  external_transaction_id: null,
});
