import { DomainError, type AccountId } from '@refledger/contracts';

/** Why there is no slot: the account has used all of its own, or no account can have another. */
type SlotRefusal = 'account' | 'total';

interface Limits {
  readonly total: number;
  readonly perAccount: number;
}

/** Limits how many operations are in progress at a time: in total, and per account. */
export class AccountSlots {
  private readonly taken = new Map<AccountId, number>();
  private total = 0;

  constructor(private readonly limits: Limits) {}

  /** Takes a slot, and returns a function that releases it. Throws what `refusal` returns. */
  take(account: AccountId, refusal: (full: SlotRefusal) => Error): () => void {
    if ((this.taken.get(account) ?? 0) >= this.limits.perAccount) throw refusal('account');
    if (this.total >= this.limits.total) throw refusal('total');
    this.count(account, 1);
    return () => this.count(account, -1);
  }

  private count(account: AccountId, change: 1 | -1): void {
    this.total += change;
    const taken = (this.taken.get(account) ?? 0) + change;
    if (taken === 0) this.taken.delete(account);
    else this.taken.set(account, taken);
  }
}

/** Returns the refusals of operations of a kind. `onTotal` is called when the total is reached. */
export const refusalOf =
  (
    kind: 'exports' | 'imports' | 'tests',
    { perAccount }: Limits,
    onTotal: () => void = () => undefined,
  ) =>
  (full: SlotRefusal): DomainError => {
    if (full === 'account')
      return new DomainError(
        `too_many_${kind}`,
        `This account has ${perAccount} ${kind} in progress. Wait until one has ended.`,
      );
    onTotal();
    return new DomainError('unavailable', `Too many ${kind} are in progress. Retry later.`);
  };
