import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  newId,
  noCommission,
  streams,
  type AffiliateEvent,
  type AffiliateFields,
  type ConversionFields,
  type DomainEvent,
  type EndpointBefore,
  type EndpointFields,
  type Position,
  type ProgramFields,
  type StreamName,
} from '@refledger/contracts';
import { openKeysOfLog } from '@refledger/application';
import { affiliateDecider, sealedEvents, type OpenAffiliateEvent } from '@refledger/domain';
import { encodeEvent, openEventLog, type EventLog } from '@refledger/event-log';
import { dataDirectory, embeddedUrls } from '@refledger/engines';
import { openKeyReader, openKeyStore } from '@refledger/key-store';
import {
  emailHashOf,
  externalIdHashOf,
  Keyring,
  newSearchTerms,
  sealValues,
} from '@refledger/personal-data';
import { openReadStore, readableBuild, type Document, type ReadStore } from '@refledger/read-store';
import { openSecretBox } from '@refledger/sealing';
import { eventually } from '@refledger/testing';
import { present } from '@refledger/testing/present';
import {
  affiliateSearch,
  allProjections,
  Projector,
  projections,
  type MakeTerms,
} from '@refledger/projections';

const account = newId('account');
const affiliate = newId('affiliate');
const conversion = newId('conversion');
const endpoint = newId('endpoint');
const key = newId('key');
const program = 'prog_spring';
export const ids = { account, affiliate, conversion, endpoint, key, program } as const;

const secretsKey = randomBytes(32);
const box = openSecretBox([secretsKey]);

/** The values that must never be printed. */
export const secrets = {
  sealed: box.seal('a secret of the endpoint'),
  rotated: box.seal('another secret of the endpoint'),
  hash: 'f00d-hash-of-a-key',
} as const;

const programFields: ProgramFields = {
  name: program,
  status: 'active',
  terms: null,
  terms_version: 0,
  affiliate_approval: 'manual',
  conversion_approval: 'manual',
  minimum_payout: {},
  metadata: {},
};
/** The sample's affiliate, whose personal values must never be printed either. */
const affiliateFields: AffiliateFields = {
  email: 'ada@example.com',
  external_id: 'crm-7',
  name: 'Ada Lovelace',
  status: 'pending',
  commission: null,
  commission_version: 0,
  payout_email: null,
  payout_hold: false,
  payout_hold_reason: null,
  reason: null,
  metadata: { tier: 'gold' },
};
const conversionFields: ConversionFields = {
  status: 'pending',
  sale_amount: 4_900,
  refunded_amount: 0,
  commission_amount: 0,
  commission: noCommission,
  reason: null,
  metadata: { secret: 'of the client' },
  payout_id: null,
};
// The sample has no payouts, so nothing is sent.
const endpointFields: EndpointFields = {
  target_url: 'http://127.0.0.1:9/hook',
  target_key: 'http://127.0.0.1:9/hook',
  events: ['payout.created'],
  description: null,
  secret: secrets.sealed,
  payload: 'full',
  max_per_second: null,
};
const endpointBefore: EndpointBefore = {
  fields: endpointFields,
  status: 'enabled',
  disabled: null,
  failing_since: null,
  previous: null,
  created_at: '2026-01-31T09:30:00.000Z',
  updated_at: '2026-01-31T09:30:00.000Z',
};
const basis = { reported_occurred_at: null, terms: null, first_occurred_at: null };
const aboutConversion = {
  conversion_id: conversion,
  affiliate_id: affiliate,
  program_id: program,
  sale_currency: 'USD',
  occurred_at: '2026-01-31T09:30:00.000Z',
  payable_on: '2026-01-31',
  external_transaction_id: null,
} as const;

const sampleOf = (
  affiliateEvents: readonly DomainEvent[],
): readonly (readonly [StreamName, DomainEvent])[] => [
  [
    streams.account(account),
    { type: 'account.created', data: { account_id: account, name: 'Sample' } },
  ],
  [
    streams.keys(account),
    {
      type: 'key.created',
      data: { key_id: key, name: 'first', scope: 'admin', hash: secrets.hash, last4: 'abcd' },
    },
  ],
  [
    streams.program(account, program),
    {
      type: 'program.created',
      data: { program_id: program, created_by: 'first_affiliate', after: programFields },
    },
  ],
  ...affiliateEvents.map((event) => [streams.affiliate(affiliate), event] as const),
  [
    streams.conversion(conversion),
    { type: 'conversion.created', data: { ...aboutConversion, basis, after: conversionFields } },
  ],
  [
    streams.conversion(conversion),
    {
      type: 'conversion.approved',
      data: {
        ...aboutConversion,
        before: conversionFields,
        after: { ...conversionFields, status: 'approved' },
      },
    },
  ],
  [
    streams.webhooks(account),
    { type: 'webhook.subscribed', data: { endpoint_id: endpoint, fields: endpointFields } },
  ],
  [
    streams.webhooks(account),
    {
      type: 'webhook.updated',
      data: {
        endpoint_id: endpoint,
        before: endpointBefore,
        fields: { ...endpointFields, events: ['payout.completed'], secret: secrets.rotated },
        status: 'enabled',
      },
    },
  ],
];

/** Makes the keys, and seals the history of the affiliate as a gateway would. */
const sealedHistory = async (keyring: Keyring): Promise<readonly AffiliateEvent[]> => {
  const at = '2026-01-01T00:00:00.000Z';
  await keyring.createForAccount(account, at);
  const accountKeys = await keyring.ofAccount(account);
  const claim = streams.claim('sample');
  const personalKey = await keyring.createForAffiliate({
    accountId: account,
    affiliateId: affiliate,
    claim,
    at,
  });
  const about = { affiliate_id: affiliate, program_id: program } as const;
  const approved: AffiliateFields = { ...affiliateFields, status: 'approved' };
  const decided: readonly OpenAffiliateEvent[] = [
    { type: 'affiliate.created', data: { ...about, after: affiliateFields } },
    { type: 'affiliate.approved', data: { ...about, before: affiliateFields, after: approved } },
    {
      type: 'affiliate.updated',
      data: { ...about, before: approved, after: { ...approved, name: 'Ada King' } },
    },
  ];
  return sealedEvents(decided, affiliateDecider.initial, {
    seal: (values) => sealValues(present(personalKey), values),
    hashes: {
      email: emailHashOf(accountKeys, affiliateFields.email),
      external_id: externalIdHashOf(accountKeys, 'crm-7'),
    },
  });
};

/** A data directory as a service would have left it: the sample's events and their read models. */
export class SampleDirectory {
  readonly path = mkdtempSync(join(tmpdir(), 'refledger-ops-test-'));
  private readonly directory = dataDirectory(this.path);
  private readonly revisions = new Map<StreamName, number>();
  /** The position of the last event of each stream. */
  readonly positions = new Map<StreamName, Position>();

  static async make(): Promise<SampleDirectory> {
    const directory = new SampleDirectory();
    writeFileSync(directory.directory.secretsKey, `${secretsKey.toString('base64')}\n`, {
      mode: 0o600,
    });
    await directory.recordKeyStore();
    for (const [stream, event] of sampleOf(await directory.sealedEvents()))
      await directory.append(stream, event);
    await directory.project();
    return directory;
  }

  /** Appends an event. Use it only while no service runs. */
  async append(
    stream: StreamName,
    event: DomainEvent | { readonly type: `${string}.poison`; readonly data: object },
  ): Promise<Position> {
    return this.withLog(async (log) => {
      const metadata = {
        account_id: account,
        actor: key,
        request_id: 'request-1',
        recorded_at: new Date().toISOString(),
      };
      // Decoding boundary: a newer release could append such an unknown event type.
      const encoded = encodeEvent(event as DomainEvent, randomUUID(), metadata);
      const { revision, position } = await log.append(
        stream,
        [encoded],
        this.revisions.get(stream) ?? 'no stream',
      );
      this.revisions.set(stream, revision);
      if (position === undefined) throw new Error('the log returned no position');
      this.positions.set(stream, position);
      return position;
    });
  }

  /**
   * Changes a stored document without an event: sets other fields, or deletes it (null). The
   * document is in the projection's first collection unless `of` names another.
   */
  async tamper(
    projection: string,
    id: string,
    change: Document | null,
    of?: string,
  ): Promise<void> {
    await this.withStore(async (store, logId) => {
      const { build, checkpoint, first } = await readableBuildOf(projection, store, logId);
      const collection = of ?? first;
      const [stored] = await store.load(build, collection, [id]);
      const before = stored?.document;
      const document = change && {
        ...before,
        ...change,
        ...(change.record && { record: { ...before?.record, ...change.record } }),
      };
      await store.save([
        {
          build,
          checkpoint,
          documents: new Map([
            [
              collection,
              [{ id, readPosition: stored?.position, position: checkpoint.position, document }],
            ],
          ]),
        },
      ]);
    });
  }

  /** The ids of a projection's live builds. */
  liveBuilds(projection: string): Promise<readonly string[]> {
    return this.withStore(async (store) =>
      (await store.builds(projection)).filter(({ state }) => state === 'live').map(({ id }) => id),
    );
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  /** Creates the key store, and names it in the log. */
  private recordKeyStore(): Promise<void> {
    return this.withLog(async (log) => {
      const url = embeddedUrls.KEY_STORE_URL;
      const keys = await openKeysOfLog(log, { url, dataDir: this.path });
      await keys.close();
    });
  }

  /** The events of the affiliate: created, approved, renamed. */
  private async sealedEvents(): Promise<readonly AffiliateEvent[]> {
    const keys = await openKeyStore(embeddedUrls.KEY_STORE_URL, {
      dataDir: this.path,
      create: false,
    });
    try {
      return await sealedHistory(new Keyring(keys, box));
    } finally {
      await keys.close();
    }
  }

  private async project(): Promise<void> {
    const url = embeddedUrls.KEY_STORE_URL;
    const keys = await openKeyReader(url, { dataDir: this.path });
    await this.projectWith(newSearchTerms(keys, box)).finally(() => keys.close());
  }

  private async projectWith(makeTerms: MakeTerms): Promise<void> {
    await this.withLog((log) =>
      this.withStore(async (store) => {
        const projections = allProjections(makeTerms, log);
        const ending = new AbortController();
        const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
        const ended = new Projector({ log, store, projections, logger: quiet }).run(
          (batch) => batch.apply(),
          ending.signal,
        );
        const head = await log.head();
        await eventually(async () => {
          for (const projection of projections)
            expect(
              readableBuild(await store.builds(projection.name), projection, log.id)?.checkpoint
                ?.position,
            ).toBe(head);
        });
        ending.abort();
        await ended;
      }),
    );
  }

  private async withLog<T>(work: (log: EventLog) => Promise<T>): Promise<T> {
    const log = await openEventLog(embeddedUrls.EVENT_LOG_URL, {
      dataDir: this.directory.path,
      mode: 'write',
    });
    return work(log).finally(() => log.close());
  }

  private async withStore<T>(work: (store: ReadStore, logId: string) => Promise<T>): Promise<T> {
    const [log, store] = [
      await openEventLog(embeddedUrls.EVENT_LOG_URL, {
        dataDir: this.directory.path,
        mode: 'read',
      }),
      await openReadStore(embeddedUrls.READ_STORE_URL, {
        dataDir: this.directory.path,
        mode: 'write',
      }),
    ];
    return work(store, log.id).finally(() => Promise.all([log.close(), store.close()]));
  }
}

/** The readable build of a projection, with its checkpoint and the name of its first collection. */
const readableBuildOf = async (projection: string, store: ReadStore, logId: string) => {
  const spec = [...projections, affiliateSearch].find(({ name }) => name === projection);
  const first = spec?.collections[0]?.name;
  const build = spec && readableBuild(await store.builds(projection), spec, logId);
  if (build?.checkpoint === undefined || first === undefined)
    throw new Error(`${projection} has no readable build`);
  return { build, checkpoint: build.checkpoint, first };
};
