import { DomainError } from '@refledger/contracts';
import {
  isUsable,
  textOfRows,
  type PayeeRow,
  type PayoutTemplate,
  type RowOrGone,
} from './payout-template.js';

/** How many payouts a problem names. */
const namedAtMost = 1_000;

/** The file whose rows are checked. */
interface CheckedFile {
  readonly template: PayoutTemplate;
  /** Whether a provider may be told to pay a recipient that has changed. */
  readonly acceptChanged: boolean;
}

/**
 * Goes through the rows of a file. Throws `payee_unusable` if one of them is impossible, so that no
 * file silently lacks a payout, and `payee_changed` if money would go where it did not go before.
 */
export const checkRows = async (
  pages: AsyncIterable<readonly RowOrGone[]>,
  file: CheckedFile,
): Promise<void> => {
  const check = new RowCheck(file);
  for await (const page of pages) for (const row of page) check.accepts(row);
  check.end();
};

/** Returns the text of the very rows that it checks. Throws like `checkRows`. */
export const checkedText = async (
  pages: AsyncIterable<readonly RowOrGone[]>,
  file: CheckedFile,
): Promise<string> => {
  const check = new RowCheck(file);
  let text = '';
  for await (const page of pages)
    text += textOfRows(
      file.template,
      page.filter((row) => check.accepts(row)),
    );
  check.end();
  return text;
};

/** Checks rows, and remembers the payouts that cannot be in the file. */
class RowCheck {
  private readonly unusable = new Named();
  private readonly changed = new Named();

  constructor(private readonly file: CheckedFile) {}

  accepts(row: RowOrGone): row is PayeeRow {
    const { template, acceptChanged } = this.file;
    if ('gone' in row) return this.unusable.add(row.gone);
    if (!template.forProvider) return true;
    if (!isUsable(template, row)) return this.unusable.add(row.payout.id);
    return !row.isChanged || acceptChanged || this.changed.add(row.payout.id);
  }

  /** Throws the problem of the rows that were not accepted. */
  end(): void {
    if (this.unusable.count > 0) throw unusableRows(this.unusable);
    if (this.changed.count > 0) throw changedRows(this.changed);
  }
}

const unusableRows = ({ count, ids }: Named): DomainError =>
  new DomainError(
    'payee_unusable',
    `${count} of these payouts cannot be in the file: the affiliate was deleted, its e-mail address or some other text is not allowed in the file, or the provider cannot pay the exact amount. Set another payout_email, cancel or fail them, or mark them as completed if they were paid elsewhere.`,
    { payouts: ids },
  );

const changedRows = ({ count, ids }: Named): DomainError =>
  new DomainError(
    'payee_changed',
    `The recipient of ${count} of these payouts has changed since the payout was made, or since the affiliate was last paid. Check them, then send accept_changed_payees=true.`,
    { payouts: ids },
  );

/** Counts payouts, and names the first of them. */
class Named {
  readonly ids: string[] = [];
  count = 0;

  add(id: string): false {
    this.count++;
    if (this.ids.length < namedAtMost) this.ids.push(id);
    return false;
  }
}
