import { mkdtempSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId, streams, type DomainEvent, type StreamName } from '@refledger/contracts';
import { embeddedUrls } from '@refledger/engines';
import { CommandHandler, openKeysOfLog } from '@refledger/application';
import { encodeEvent, openEventLog, type EventLog } from '@refledger/event-log';
import { carryOut } from '@refledger/operator';
import { newWrappedAccountKeys, openSecretBox } from '@refledger/sealing';
import { findBlockers } from './readiness.js';

const key = randomBytes(32);

describe('the reasons not to copy', () => {
  let directory: string;
  let log: EventLog;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'refledger-readiness-'));
    log = await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir: directory, mode: 'write' });
  });
  afterEach(async () => {
    await log.close();
    rmSync(directory, { recursive: true });
  });

  const happened = (
    stream: StreamName,
    event: DomainEvent,
    revision: number | 'no stream' = 'no stream',
  ) =>
    log.append(
      stream,
      [
        encodeEvent(event, crypto.randomUUID(), {
          account_id: null,
          actor: 'a',
          request_id: 'r',
          recorded_at: '2026-01-01T00:00:00.000Z',
        }),
      ],
      revision,
    );
  const opened = (revision?: number) =>
    happened(
      streams.processor('webhook-dispatcher'),
      {
        type: 'processor.opened',
        data: { processor: 'webhook-dispatcher', store_id: 'mine', decision: null },
      },
      revision,
    );
  const decided = (processor: string, from: string) =>
    carryOut(new CommandHandler(log), { type: 'resume', processor, from });
  const reasons = (over: Partial<Parameters<typeof findBlockers>[0]> = {}) =>
    findBlockers({
      log,
      store: { id: 'mine' },
      keys: undefined,
      secretsKeys: [key],
      keyFile: undefined,
      ...over,
    });

  it('are empty for a directory that was started once', async () => {
    await opened();
    expect(await reasons()).toEqual([]);
    expect(await reasons({ secretsKeys: undefined })).toEqual([]);
  });

  it.each(['webhook-dispatcher', 'relay'])(
    'include a pending decision for the %s that names a position',
    async (processor) => {
      await decided(processor, '17');
      expect(await reasons()).toEqual([
        expect.stringMatching(
          `${processor} continue after position 17.*ops resume ${processor} --from start\\|head`,
        ),
      ]);
      await decided(processor, 'head');
      expect(await reasons()).toEqual([]);
    },
  );

  it('exclude an executed decision, and those for the projector and the ledger', async () => {
    await decided('webhook-dispatcher', '17');
    await opened(0);
    await decided('projector', '17');
    await decided('posting', '17');
    await decided('paid-status', '17');
    expect(await reasons()).toEqual([]);
  });

  it.each([
    [undefined, /deliveries.db is missing/],
    [{ id: 'another' }, /deliveries.db is another/],
  ])('include a delivery store other than the recorded one: %j', async (store, why) => {
    await opened();
    expect(await reasons({ store })).toEqual([expect.stringMatching(why)]);
  });

  it('include keys that the services could not open', async () => {
    const store = await openKeysOfLog(log, {
      url: embeddedUrls.KEY_STORE_URL,
      dataDir: directory,
    });
    const account = newId('account');
    await store.put(account, {
      accountId: account,
      key: newWrappedAccountKeys(openSecretBox([key]), account),
      claim: null,
      at: '2026-01-01T00:00:00.000Z',
    });
    expect(await reasons({ keys: store })).toEqual([]);
    expect(await reasons({ keys: store, secretsKeys: [randomBytes(32)] })).toEqual([
      expect.stringMatching(/^SECRETS_KEY does not open 1 personal key\. Set it/),
    ]);
    expect(await reasons({ keys: store, secretsKeys: undefined })).toEqual([
      expect.stringMatching(/^SECRETS_KEY is not set, which opens 1 personal key\. Set it/),
    ]);
    expect(await reasons()).toEqual([expect.stringMatching(/personal-keys\.db is missing/)]);
    await store.close();
  });

  it('include secrets that the services could not open, and never show the key', async () => {
    const fields = {
      target_url: 'http://a.example/',
      target_key: 'http://a.example/',
      events: [],
      description: null,
      secret: openSecretBox([key]).seal('s'),
      payload: 'full' as const,
      max_per_second: null,
    };
    await happened(streams.webhooks(newId('account')), {
      type: 'webhook.subscribed',
      data: { endpoint_id: newId('endpoint'), fields },
    });
    expect(await reasons()).toEqual([]);
    expect(await reasons({ secretsKeys: [randomBytes(32), key] })).toEqual([]);
    expect(await reasons({ secretsKeys: [randomBytes(32)] })).toEqual([
      expect.stringMatching(/does not open the webhook secrets of 1 endpoint\. .*this directory/),
    ]);
    expect(await reasons({ secretsKeys: undefined, keyFile: '/d/secrets.key' })).toEqual([
      expect.stringMatching(/is not set.*\$\(cat \/d\/secrets\.key\)/),
    ]);
  });
});
