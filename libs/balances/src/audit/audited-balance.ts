import { isDeepStrictEqual } from 'node:util';
import type { BalanceEvent, RecordedEvent, StoredBucket } from '@refledger/contracts';
import {
  balanceDecider,
  bucketSums,
  chainStart,
  metaOf,
  nextInChain,
  openingOf,
  type BalanceKey,
  type BalanceState,
} from '@refledger/domain';
import type { LoggedEvent } from '@refledger/event-log';

type BalanceEventRecorded = RecordedEvent<BalanceEvent>;

/**
 * Checks the events of one balance in the log's order, over all its chapters: the numbers of its
 * entries, the hash chain, what each chapter takes over, and its sums (laws L1, L3, L10 and L12).
 */
export class AuditedBalance {
  private state: BalanceState = balanceDecider.initial;
  /** The events that must open the chapter after a full one. */
  private opening: readonly BalanceEvent[] = [];
  private opened = 0;
  private head: string;

  constructor(readonly about: BalanceKey) {
    this.head = chainStart(about.balance_id);
  }

  get sums(): Pick<BalanceState, 'earned' | 'adjusted'> {
    return this.state;
  }

  /** Takes the next event, and returns what is wrong with it. `logged` has its data as stored. */
  apply(event: BalanceEventRecorded, logged: LoggedEvent): readonly string[] {
    const before = this.state;
    this.state = balanceDecider.evolve(before, event, metaOf(event));
    switch (event.type) {
      case 'balance.opened':
      case 'balance.carried':
        return this.takeOpening(event);
      case 'balance.posted':
        return [
          ...this.takeLink(event.data.chain, logged),
          ...(event.data.number === before.number + 1
            ? []
            : [`entry ${event.data.number} follows entry ${before.number}`]),
          ...this.unequalSums(),
        ];
      case 'balance.reserved':
        return [
          ...this.takeLink(event.data.chain, logged),
          ...notOpen(event.data.buckets, before.buckets),
          ...this.unequalSums(),
        ];
      case 'balance.settled':
      case 'balance.released':
        return [...this.takeLink(event.data.chain, logged), ...this.unequalSums()];
      case 'balance.closed': {
        this.opening = openingOf(this.state);
        this.opened = 0;
        const [next] = this.opening;
        const carried = next?.type === 'balance.opened' ? next.data.state : undefined;
        return isDeepStrictEqual(event.data.state, carried)
          ? []
          : [
              `chapter ${before.chapter} was closed with a different state from the one that its events result in`,
            ];
      }
    }
  }

  private takeOpening({ type, data }: BalanceEventRecorded): readonly string[] {
    const expected = this.opening[this.opened++];
    if (expected === undefined && this.state.chapter === 0) return [];
    return isDeepStrictEqual({ type, data }, expected)
      ? []
      : [
          `chapter ${this.state.chapter} starts with a different state from the one that chapter ${this.state.chapter - 1} ended with`,
        ];
  }

  private takeLink(chain: string, { data }: LoggedEvent): readonly string[] {
    // the decoding boundary: an event of a balance has an object as its data
    const { chain: _, ...hashed } = data as Record<string, unknown>;
    const expected = nextInChain(this.head, hashed);
    this.head = chain;
    return expected === chain
      ? []
      : ['its hash does not follow from the hash before it and its data'];
  }

  private unequalSums(): readonly string[] {
    const { buckets, inFlight, earned, adjusted, paid } = this.state;
    let rest = paid;
    for (const amount of bucketSums(buckets).values()) rest += amount;
    for (const { amount } of Object.values(inFlight)) rest += BigInt(amount);
    return earned + adjusted === rest
      ? []
      : [`earned and adjusted are ${earned + adjusted}, but open, in payouts and paid are ${rest}`];
  }
}

/** Entries that a payout takes although they were not open, or not with this sum. */
const notOpen = (
  taken: readonly StoredBucket[],
  open: BalanceState['buckets'],
): readonly string[] =>
  taken.flatMap(({ payable_on, ranges }) =>
    ranges
      .filter(({ from, to, amount, count }) => {
        const range = open.get(payable_on)?.find((candidate) => candidate.from === from);
        return range?.to !== to || range.count !== count || String(range.amount) !== amount;
      })
      .map(
        ({ from, to }) => `it takes entries ${from} to ${to} of ${payable_on}, which are not open`,
      ),
  );
