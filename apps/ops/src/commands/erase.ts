import type { Command } from 'commander';
import { DomainError, isId, streams, type AffiliateId } from '@refledger/contracts';
import { erasedEvent } from '@refledger/application';
import type { OperatorEngines } from '../engines/engines.js';
import { entryOfEvent, type ErasureEntry } from '../erasures/erasure-entry.js';
import { exitCodes, UsageError, type ExitCode } from '../exit-codes.js';
import { withOpen } from '../with-open.js';
import type { Ops, RunWith } from './ops.js';

/** Adds `ops erase` to the program. */
export const addErase = (program: Command, runWith: RunWith): void => {
  program
    .command('erase')
    .description('Erases the personal data of an affiliate of any account, permanently.')
    .argument('<affiliate>', 'the id of the affiliate')
    .option('--json', 'print the erasure as a line of JSON')
    .addHelpText('after', examples)
    .action(runWith(erase));
};

const examples = `
Does the same as POST /v1/affiliates/{id}/erase: deletes the affiliate unless it is deleted, records affiliate.erased, and
destroys the affiliate's key. It cannot be undone. Amounts, balances and payouts stay. Erasing again changes nothing.

While payouts of the affiliate are created or processing, the command names them and exits with 1.

Example:
  $ ops erase aff_…`;

const erase = async (
  { console, engines }: Ops,
  id: string,
  { json = false }: { readonly json?: boolean },
): Promise<ExitCode> => {
  if (!isId('affiliate', id))
    throw new UsageError(`${JSON.stringify(id)} is no affiliate's id. Provide an id (aff_…).`);
  try {
    const isNew = await engines.withErasures(console, (carryOut) =>
      carryOut({ type: 'erase', affiliate_id: id }),
    );
    const entry = await readEntry(engines, id);
    await console.print(json ? JSON.stringify(entry) : result(entry, isNew));
    return exitCodes.success;
  } catch (error) {
    if (!(error instanceof DomainError) || !isRefusal(error)) throw error;
    console.report(`ops: ${error.message}`);
    for (const payout of error.extras.payouts ?? []) console.report(`  ${payout}`);
    return exitCodes.failure;
  }
};

const isRefusal = ({ code }: DomainError): boolean =>
  code === 'payouts_open' || code === 'not_found';

const result = ({ affiliate_id, account_id, ...at }: ErasureEntry, isNew: boolean): string => {
  const what = `${isNew ? 'erased' : 'already erased:'} ${affiliate_id} of ${account_id}`;
  return at.erased_at === null
    ? `${what}, recorded at ${at.created_at}. The key is not destroyed yet: the ledger does it as soon as the key store allows`
    : `${what}, recorded at ${at.created_at}, key destroyed at ${at.erased_at}`;
};

const readEntry = (engines: OperatorEngines, id: AffiliateId): Promise<ErasureEntry> =>
  withOpen(engines.openLog(), (log) =>
    withOpen(engines.openStoredKeys(log), async (keys) => {
      const stored = (await keys.getMany([id])).get(id);
      for await (const events of log.readStream(streams.affiliate(id)))
        for (const logged of events) {
          const event = erasedEvent(logged);
          if (event !== undefined) return entryOfEvent(event, stored);
        }
      throw new Error(`the log does not have the erasure of ${id}`);
    }),
  );
