import type { EntryId, EntryRecord } from '@refledger/contracts';
import { entriesProjection } from '@refledger/projections';
import type { Query } from '@refledger/read-store';
import { requireRecord } from '../own-record.js';
import type { MoneyReads } from '../money-reads.js';
import type { ReadContext } from '../read-models.js';
import { entriesIn, entryProjections, showEntries, type ShownEntries } from './shown-entries.js';

export interface EntryPage extends ShownEntries {
  /** The entry after which the next page begins; undefined if no other follows. */
  readonly last: EntryRecord | undefined;
}

export class Entries {
  constructor(private readonly money: Pick<MoneyReads, 'settle' | 'get' | 'find'>) {}

  /** One page of entries. The query asks for one more than that, to tell whether others follow. */
  async list(read: ReadContext, query: Query): Promise<EntryPage> {
    await this.money.settle(entryProjections, read);
    const { value, position } = await this.money.find(entriesProjection, query);
    const rows = entriesIn(value).slice(0, query.limit - 1);
    const shown = await showEntries(this.money, { value: rows, position });
    return { ...shown, last: value.length > rows.length ? rows.at(-1) : undefined };
  }

  /** Throws `not_found` if the caller's account has no such entry. */
  async get(
    read: ReadContext,
    id: EntryId,
  ): Promise<Pick<ShownEntries, 'position'> & { readonly record: EntryRecord }> {
    await this.money.settle(entryProjections, read);
    const { value, position } = await this.money.get(entriesProjection, id);
    const own = value?.['account_id'] === read.caller.accountId ? entriesIn([value]) : [];
    const shown = await showEntries(this.money, { value: own, position });
    return { record: requireRecord('entry', id, shown.records[0]), position: shown.position };
  }
}
