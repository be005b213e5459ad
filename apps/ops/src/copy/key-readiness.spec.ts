import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandHandler, openKeysOfLog, restoreErasures } from '@refledger/application';
import {
  newId,
  streams,
  type AffiliateId,
  type DomainEvent,
  type Position,
  type StreamName,
} from '@refledger/contracts';
import { affiliateEvents } from '@refledger/domain/testing';
import { embeddedUrls } from '@refledger/engines';
import { encodeEvent, openEventLog, type EventLog } from '@refledger/event-log';
import { lostKey, type KeyOwner, type KeyStore } from '@refledger/key-store';
import { newWrappedKey, openSecretBox } from '@refledger/sealing';
import { present } from '@refledger/testing/present';
import { countUnreadableKeys, findKeyBlockers } from './key-readiness.js';

const account = newId('account');
const at = '2026-01-01T00:00:00.000Z';
const box = openSecretBox([randomBytes(32)]);

describe('the reasons not to copy keys', () => {
  let dataDir: string;
  let log: EventLog;
  let keys: KeyStore;
  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'refledger-key-readiness-'));
    log = await openEventLog(embeddedUrls.EVENT_LOG_URL, { dataDir, mode: 'write' });
    const url = embeddedUrls.KEY_STORE_URL;
    keys = await openKeysOfLog(log, { url, dataDir });
    await put(account);
    await happened(streams.account(account), {
      type: 'account.created',
      data: { account_id: account, name: 'One' },
    });
  });
  afterEach(async () => {
    await Promise.all([log.close(), keys.close()]);
    rmSync(dataDir, { recursive: true });
  });

  const put = (owner: KeyOwner) =>
    keys.put(owner, {
      accountId: account,
      key: newWrappedKey(box, owner as AffiliateId),
      claim: null,
      at,
    });
  const happened = async (
    stream: StreamName,
    event: DomainEvent,
  ): Promise<Position | undefined> => {
    const metadata = { account_id: account, actor: 'a', request_id: 'r', recorded_at: at };
    const encoded = encodeEvent(event, randomUUID(), metadata);
    return (await log.append(stream, [encoded], 'no stream')).position;
  };
  const create = async (): Promise<AffiliateId> => {
    const affiliate_id = newId('affiliate');
    const event = affiliateEvents.created({ affiliate_id, program_id: 'prog_spring' });
    await happened(streams.affiliate(affiliate_id), event);
    return affiliate_id;
  };

  it('are empty if every account and affiliate has a key', async () => {
    await put(await create());
    expect(await findKeyBlockers(log, keys)).toEqual([]);
  });

  it('include a key store other than the recorded one, or none', async () => {
    expect(await findKeyBlockers(log, undefined)).toEqual([
      expect.stringMatching(`the log names ${keys.id} .* personal-keys.db is missing. Restore`),
    ]);
    expect(await findKeyBlockers(log, { ...keys, id: 'other' })).toEqual([
      expect.stringMatching(/personal-keys.db is other\. Restore/),
    ]);
  });

  it('include affiliates of the log that have no key, by their ids', async () => {
    await put(await create());
    const missing = [await create(), await create()];
    await keys.put(present(missing[0]), { accountId: account, key: lostKey, claim: null, at });
    expect(await findKeyBlockers(log, keys)).toEqual([
      expect.stringMatching(`has no key of ${missing.join(', ')}\\. Restore`),
    ]);
    for (let n = 0; n < 10; n++) await create();
    expect(await findKeyBlockers(log, keys)).toEqual([
      expect.stringMatching(`has no key of ${missing.join(', ')}, .* and 2 more\\. Restore`),
    ]);
  });

  it('include an erasure that a restored log has lost, until it is recorded again', async () => {
    const affiliate = await create();
    const erasure = { accountId: account, eventId: randomUUID(), erasedAt: at };
    await keys.destroy(affiliate, { ...erasure, position: '9999' as Position });
    expect(await findKeyBlockers(log, keys)).toEqual([
      expect.stringMatching(`${affiliate} was erased, but .* Start the service on the source once`),
    ]);
    expect(await restoreErasures(new CommandHandler(log), keys, undefined)).toBe(1);
    expect(await findKeyBlockers(log, keys)).toEqual([]);
  });

  it('do not include an erasure of an affiliate that the log does not have', async () => {
    const erasure = { accountId: account, eventId: randomUUID(), erasedAt: at };
    await keys.destroy(newId('affiliate'), { ...erasure, position: '9999' as Position });
    expect(await findKeyBlockers(log, keys)).toEqual([]);
  });

  it('leave it to others to say how many keys a SECRETS_KEY does not open', async () => {
    await put(await create());
    expect(await countUnreadableKeys(keys, box)).toBe(0);
    expect(await countUnreadableKeys(keys, openSecretBox([randomBytes(32)]))).toBe(2);
  });
});
