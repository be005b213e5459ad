import { DomainError } from '@refledger/contracts';
import type { PayeeRow, RowOrMissing } from './payees.js';

/** How many payouts a problem names. */
const namedAtMost = 1_000;

/** The file whose rows are checked. */
export interface CheckedFile {
  /** Whether money is sent with this file; if so, nothing in it may be doubtful. */
  readonly forProvider: boolean;
  /** Whether the provider's file can have this row. */
  readonly isUsable: (row: PayeeRow) => boolean;
  /** Whether a provider may be told to pay a recipient that has changed. */
  readonly acceptChanged: boolean;
}

/**
 * Goes through the rows of a file, and yields those that it accepts. In the end, throws
 * `payee_unusable` if one of them is impossible, so that no file silently lacks a payout, and
 * `payee_changed` if money would go where it did not go before.
 */
export async function* checkedRows(
  pages: AsyncIterable<readonly RowOrMissing[]>,
  file: CheckedFile,
): AsyncGenerator<readonly PayeeRow[]> {
  const check = new RowCheck(file);
  for await (const page of pages) yield page.filter((row) => check.accepts(row));
  check.end();
}

/** Checks rows, and remembers the payouts that cannot be in the file. */
class RowCheck {
  private readonly unusable = new NamedPayouts();
  private readonly changed = new NamedPayouts();

  constructor(private readonly file: CheckedFile) {}

  accepts(row: RowOrMissing): row is PayeeRow {
    const { forProvider, isUsable, acceptChanged } = this.file;
    if ('missing' in row) return this.unusable.add(row.missing);
    if (!forProvider) return true;
    if (!isUsable(row)) return this.unusable.add(row.payout.id);
    return !row.isChanged || acceptChanged || this.changed.add(row.payout.id);
  }

  /** Throws the problem of the rows that were not accepted. */
  end(): void {
    if (this.unusable.count > 0) throw unusableRows(this.unusable);
    if (this.changed.count > 0) throw changedRows(this.changed);
  }
}

const unusableRows = ({ count, ids }: NamedPayouts): DomainError =>
  new DomainError(
    'payee_unusable',
    `${count} of these payouts cannot be in the file: the affiliate was deleted, its email address or some other text is not allowed in the file, or the provider cannot pay the exact amount. Set another payout_email, cancel or fail them, or mark them as completed if they were paid elsewhere.`,
    { payouts: ids },
  );

const changedRows = ({ count, ids }: NamedPayouts): DomainError =>
  new DomainError(
    'payee_changed',
    `The recipient of ${count} of these payouts has changed since the payout was made, or since the affiliate was last paid. Check them, then send accept_changed_payees=true.`,
    { payouts: ids },
  );

/** Counts payouts, and names the first of them. */
class NamedPayouts {
  readonly ids: string[] = [];
  count = 0;

  add(id: string): false {
    this.count++;
    if (this.ids.length < namedAtMost) this.ids.push(id);
    return false;
  }
}
