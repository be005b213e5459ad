import { TestAccount, type Program } from '@refledger/testing';
import { jsonLines, type ProcessResult } from './ops-process.js';

/** A program of an account with two versions of its terms, and archived since. */
export const changedProgram = async (account: TestAccount): Promise<Program> => {
  const terms = { type: 'percentage', rate_bps: 1_000 };
  const program = await account.program({ name: 'Spring', terms });
  await account.update(program, { terms: { ...terms, rate_bps: 2_000 }, reason: 'as agreed' });
  return account.update(program, { status: 'archived' });
};

/** Checks what `ops show` says about that program. */
export const expectProgramHistory = async (
  { id }: Program,
  account: TestAccount,
  ops: (...args: readonly string[]) => Promise<ProcessResult>,
): Promise<void> => {
  const args = ['show', id, '--account', account.id];
  const shown = await ops(...args);
  expect(shown).toMatchObject({ code: 0, err: '' });
  const [stream, created = '', terms = '', archived = ''] = shown.out.trimEnd().split('\n\n');
  expect(stream).toBe(`refledger.program-${account.id}-${id}`);
  expect(created).toMatch(/^\d{4}-.*Z {2}program\.created {2}by key_\w+ {2}\(revision 0, /);
  for (const line of ['name: Spring', 'terms.rate_bps: 1000', 'terms_version: 1'])
    expect(created.split('\n')).toContain(`    ${line}`);
  expect(changesIn(terms)).toEqual([
    'terms.rate_bps: 1000 → 2000',
    'terms_version: 1 → 2',
    'reason: "as agreed"',
  ]);
  expect(changesIn(archived)).toEqual(['status: active → archived']);
  expect(jsonLines(await ops(...args, '--json')).map(({ type }) => type)).toEqual([
    'program.created',
    'program.updated',
    'program.updated',
  ]);
};

/** The changes in a paragraph of one event. */
const changesIn = (paragraph: string): readonly string[] =>
  paragraph
    .split('\n')
    .slice(1)
    .map((line) => line.trim());
