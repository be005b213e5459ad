import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { ops, type ProcessResult } from './ops-process.js';
import { ids, SampleDirectory } from './sample-directory.js';

/** `affiliate_search` has hashes of names and addresses, so it is folded with keys. */
describe('ops and the search terms of affiliates', () => {
  let directory: SampleDirectory;
  beforeEach(async () => void (directory = await SampleDirectory.make()));
  afterEach(() => directory.remove());

  const run = (...args: readonly string[]): Promise<ProcessResult> => ops(directory.path, ...args);
  const withoutKeys = async (work: () => Promise<void>): Promise<void> => {
    const keys = join(directory.path, 'personal-keys.db');
    renameSync(keys, `${keys}.away`);
    await work();
    renameSync(`${keys}.away`, keys);
  };

  it('verify compares terms with terms, and rebuild repairs them', async () => {
    await directory.tamper('affiliate_search', ids.affiliate, { terms: ['other'] });
    const { code, out } = await run('verify', 'affiliate_search');
    expect(code).toBe(1);
    expect(out).toMatch(
      /^ {2}affiliate_search aff_\w+: terms.* stored \[hash\], folded \[hash\]$/m,
    );
    expect(await run('rebuild', 'affiliate_search')).toMatchObject({ code: 0 });
    expect(await run('verify', 'affiliate_search')).toMatchObject({ code: 0 });
  });

  it('without the key store, all other read models are verified and rebuilt', async () => {
    await withoutKeys(async () => {
      const { code, out } = await run('verify', 'affiliate_search', 'affiliates');
      expect(code).toBe(1);
      expect(out).toMatch(/^affiliate_search: its search terms cannot be made: .*key/m);
      expect(out).toMatch(/^affiliates .*: 1 document, matching the log$/m);
      expect(await run('rebuild', 'affiliates')).toMatchObject({ code: 0 });
      expect((await run('rebuild', 'affiliate_search')).code).not.toBe(0);
    });
    expect(await run('verify')).toMatchObject({ code: 0 });
  });
});
