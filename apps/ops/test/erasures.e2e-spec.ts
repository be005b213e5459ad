import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@refledger/contracts';
import { jsonLines, ops, withoutProgress } from './ops-process.js';
import { ids, SampleDirectory } from './sample-directory.js';
import { destroyKeyIn } from './stored-keys.js';

let sample: SampleDirectory;
let outside: string;
beforeEach(async () => {
  sample = await SampleDirectory.make();
  outside = mkdtempSync(join(tmpdir(), 'refledger-erasures-'));
});
afterEach(() => {
  sample.remove();
  rmSync(outside, { recursive: true });
});

const run = async (...args: readonly string[]) => withoutProgress(await ops(sample.path, ...args));

describe('erasures export and apply', () => {
  it('carry an erasure over to a log and a key store from before it', async () => {
    const backup = join(outside, 'backup');
    cpSync(sample.path, backup, { recursive: true });
    await run('erase', ids.affiliate);
    const file = join(outside, 'erasures.ndjson');
    expect(await run('erasures', 'export', '--to', file)).toEqual({
      code: 0,
      out: `wrote 1 erasure to ${file}\n`,
      err: '',
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const exported = readFileSync(file, 'utf8');
    expect((await run('erasures', 'export')).out).toBe(exported);
    const unknown = { ...JSON.parse(exported), affiliate_id: newId('affiliate') } as {
      readonly affiliate_id: string;
      readonly event_id: string;
    };
    writeFileSync(file, `${exported}${JSON.stringify(unknown)}\n`);

    const apply = () => ops(backup, 'erasures', 'apply', file);
    const err = `ops: skipped ${unknown.affiliate_id}, which this log does not have\n`;
    expect(await apply()).toEqual({
      code: 0,
      out: 'applied 1, erased already 0, skipped 1\n',
      err,
    });
    expect(await apply()).toEqual({
      code: 0,
      out: 'applied 0, erased already 1, skipped 1\n',
      err,
    });
    const events = jsonLines(await ops(backup, 'show', ids.affiliate, '--json')).slice(-2);
    expect(events).toMatchObject([
      { type: 'affiliate.deleted' },
      { type: 'affiliate.erased', id: unknown.event_id },
    ]);
    const [listed] = jsonLines(await ops(backup, 'erasures', 'list', '--json'));
    expect(listed).toMatchObject({
      event_id: unknown.event_id,
      erased_at: expect.any(String) as string,
    });
  });

  it.each([['not JSON'], ['{}'], ['{"affiliate_id":"aff_1"}'], ['']])(
    'refuse the line %j before anything is done',
    async (line) => {
      const file = join(outside, 'erasures.ndjson');
      const good = { affiliate_id: ids.affiliate, event_id: crypto.randomUUID() };
      writeFileSync(file, `${JSON.stringify(good)}\n${line}\n`);
      expect(await run('erasures', 'apply', file)).toEqual({
        code: 2,
        out: '',
        err: `ops: line 2 of ${file} is no erasure, so nothing was changed. Use a file that ops erasures export wrote.\n`,
      });
      expect((await run('erasures', 'list')).out).toBe('');
    },
  );

  it('refuse a file that is not there', async () => {
    expect(await run('erasures', 'apply', join(outside, 'none'))).toMatchObject({ code: 2 });
  });
});

describe('erasures list', () => {
  it('shows what the log has and what only the key store has, of one account or of all', async () => {
    await run('erase', ids.affiliate);
    const other = newId('affiliate');
    await destroyKeyIn(sample.path, other, '900');
    const { out } = await run('erasures', 'list');
    expect(out).toMatch(
      new RegExp(
        `^${ids.affiliate}  ${ids.account}  recorded 20\\S+  finished 20\\S+\n${other}  ${ids.account}  not in this log  finished 2026-11-30T00:00:00.000Z\n$`,
      ),
    );
    expect((await run('erasures', 'list', '--account', ids.account)).out).toBe(out);
    expect((await run('erasures', 'list', '--account', newId('account'))).out).toBe('');
    expect((await run('erasures', 'list', '--account', 'x')).code).toBe(2);
  });
});
