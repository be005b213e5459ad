import { randomBytes } from 'node:crypto';
import { newId, streams } from '@refledger/contracts';
import { lostKey, type KeyReader } from '@refledger/key-store';
import { openEngines } from '../src/engines/open-engines.js';
import { auditPersonalData } from '../src/verify/audit-personal-data.js';
import { recordNewerErasure } from './recorded-events.js';
import { ops, withoutProgress } from './ops-process.js';
import { runInProcess } from './run-in-process.js';
import { ids, SampleDirectory } from './sample-directory.js';
import { destroyKeyIn } from './stored-keys.js';

let sample: SampleDirectory;
beforeEach(async () => {
  sample = await SampleDirectory.make();
});
afterEach(() => sample.remove());

const run = async (...args: readonly string[]) => withoutProgress(await ops(sample.path, ...args));

describe('verify --personal-data', () => {
  const verify = (...args: readonly string[]) => run('verify', '--personal-data', ...args);
  const matching =
    'personal data of 1 affiliate and 2 documents, 0 erased: matching the key store\n';

  it('finds that the log, the key store and the read models agree, as verify does', async () => {
    expect(await verify()).toEqual({ code: 0, out: matching, err: '' });
    const whole = await run('verify');
    expect(whole).toMatchObject({ code: 0 });
    expect(whole.out.endsWith(matching)).toBe(true);
    expect((await run('verify', 'affiliates')).out).not.toContain('personal data');
    expect(await verify('affiliates')).toMatchObject({ code: 2 });
  });

  it('agrees after an erasure, and counts erased affiliates that the log never had', async () => {
    await destroyKeyIn(sample.path, newId('affiliate'), '900');
    await run('erase', ids.affiliate);
    for (const name of ['affiliates', 'affiliate_search']) await run('rebuild', name);
    expect(await verify()).toEqual({
      code: 0,
      out: 'personal data of 1 affiliate and 0 documents, 2 erased (1 of them not in this log): matching the key store\n',
      err: '',
    });
  });

  it('names keys that SECRETS_KEY does not unwrap', async () => {
    const ended = await runInProcess(['verify', '--personal-data'], {
      env: { DATA_DIR: sample.path, SECRETS_KEY: randomBytes(32).toString('base64') },
    });
    expect(ended.code).toBe(1);
    for (const owner of [ids.account, ids.affiliate])
      expect(ended.out).toMatch(
        new RegExp(`^ {2}${owner} \\(key store\\): .* cannot be opened`, 'm'),
      );
    expect(ended.out).toMatch(/: 2 differences\n$/);
  });

  it('names an erased affiliate that the log does not say to be erased, and its document', async () => {
    await destroyKeyIn(sample.path, ids.affiliate, '6');
    const { code, out } = await verify();
    expect(code).toBe(1);
    expect(out).toContain(`  ${ids.affiliate} (key store): is erased, but the event log has no`);
    for (const name of ['affiliates', 'affiliate_search'])
      expect(out).toContain(`  ${ids.affiliate} (read model ${name}): is erased, but has a`);
    expect(out).toContain(' 1 erased: 3 differences\n');
    expect((await verify('--show', '1')).out).toMatch(/^ {2}aff_.*\n {2}and 2 more\n/);
    expect((await run('verify')).code).toBe(1);
    expect((await run('verify', 'affiliate_search')).out).toContain(
      'stored, but not folded from the log',
    );
  });

  it('agrees while the projector has not got to an erasure whose key is destroyed', async () => {
    await run('erase', ids.affiliate);
    expect(await run('verify', 'affiliate_search')).toMatchObject({ code: 0 });
  });

  it('names an affiliate that only the log says to be erased', async () => {
    const affiliate_id = ids.affiliate;
    await sample.append(streams.affiliate(affiliate_id), {
      type: 'affiliate.erased',
      data: { affiliate_id, program_id: ids.program },
    });
    expect((await verify()).out).toContain(`  ${affiliate_id} (event log): is erased, but the key`);
    expect((await run('erasures', 'list')).out).toMatch(/ recorded \S+ {2}running\n$/);
  });

  it('names an affiliate whose erasure this release cannot read', async () => {
    await recordNewerErasure(sample.path, ids.affiliate);
    const { out } = await runInProcess(['verify', '--personal-data'], {
      env: { DATA_DIR: sample.path },
    });
    expect(out).toContain(`  ${ids.affiliate} (event log): is erased by an event`);
  });

  it('names an affiliate whose key is missing, and an account whose key was lost, without SECRETS_KEY', async () => {
    const engines = openEngines({ DATA_DIR: sample.path });
    const [log, store] = [await engines.openLog(), await engines.openStore()];
    const keys: Pick<KeyReader, 'getMany' | 'scan'> = {
      getMany: () => Promise.resolve(new Map()),
      async *scan() {
        const row = { owner: ids.account, accountId: ids.account, claims: [], putAt: '' };
        yield await Promise.resolve([{ ...row, kind: 'key', key: lostKey }]);
      },
    };
    const found = [];
    for await (const finding of auditPersonalData({
      ...{ log, store, keys, box: undefined },
      signal: new AbortController().signal,
      onProgress: () => undefined,
    }))
      found.push(finding);
    const problem = expect.stringContaining('neither a key nor an erasure') as string;
    expect(found).toEqual([
      { owner: ids.affiliate, where: 'event log', problem },
      {
        owner: ids.account,
        where: 'key store',
        problem: expect.stringContaining('has lost its key') as string,
      },
      { owner: ids.affiliate, where: 'read model affiliates', problem },
      { owner: ids.affiliate, where: 'read model affiliate_search', problem },
    ]);
    await Promise.all([log.close(), store.close()]);
  });
});
