import type { AccountId } from '@refledger/contracts';

/** Why there is no slot: the account has used all of its own, or no account can have another. */
type SlotRefusal = 'account' | 'total';

/** Limits how many operations are in progress at a time: in total, and per account. */
export class AccountSlots {
  private readonly taken = new Map<AccountId, number>();
  private total = 0;

  constructor(private readonly limits: { readonly total: number; readonly perAccount: number }) {}

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
