import { claimedAppend } from '@refledger/application';
import {
  derivedId,
  streams,
  toInstant,
  type AffiliateId,
  type AffiliateValues,
  type ConversionRecord,
  type ConversionStatus,
  type DomainEvent,
  type ProgramId,
  type StreamName,
} from '@refledger/contracts';
import {
  accountDecider,
  affiliateDecider,
  conversionDecider,
  conversionRecord,
  decideAffiliate,
  emailClaimDecider,
  emailClaimHash,
  firstAccountId,
  programDecider,
  sealedEvents,
  type AffiliateState,
  type ConversionState,
  type Decider,
} from '@refledger/domain';
import {
  decidedAppend,
  type DecidedAppend,
  type NewAppend,
  type StreamState,
} from './decided-append.js';
import { passingKeys, type DataSetKeys } from './data-set-keys.js';
import { affiliateId, type DataSetSpec } from './data-set-spec.js';
import { Random } from './random.js';
import { weighted, zipf } from './spread.js';

/** One append to the log. */
export interface DataSetAppend extends NewAppend {
  /** The conversion before and after the append, if it changed one. */
  readonly conversion?: {
    readonly before: ConversionRecord | undefined;
    readonly after: ConversionRecord;
  };
}

/**
 * A year of the first account: the events that the deciders return for its commands, in
 * chronological order.
 */
export const dataSetEvents = function* (
  spec: DataSetSpec,
  keys: DataSetKeys = passingKeys(),
): Generator<DataSetAppend> {
  yield* new DataSetGenerator(spec, keys).events();
};

const firstInstant = Date.UTC(2025, 0, 1);
const yearMs = 365 * 24 * 3_600_000;

const currencies = weighted([
  ['USD', 60],
  ['EUR', 30],
  ['JPY', 10],
]);
/** The statuses that a sale gets, one after another. */
const fates = weighted<readonly Exclude<ConversionStatus, 'pending'>[]>([
  [[], 35],
  [['approved'], 50],
  [['rejected'], 8],
  [['approved', 'refunded'], 6],
  [['rejected', 'approved'], 1],
]);
const campaigns = ['spring', 'summer', 'autumn', 'newsletter', 'podcast'];
/**
 * A change comes within this many sales after the sale or the change before it. A sale changes at
 * most twice, so all changes come within half a year of the last sale.
 */
const longestWait = (sales: number): number => Math.max(2, Math.min(5_000, Math.floor(sales / 4)));

class DataSetGenerator {
  private readonly random: Random;
  private readonly pickAffiliate;
  private readonly affiliates: { readonly id: AffiliateId; readonly state: AffiliateState }[] = [];
  /** The changes that follow the n-th sale. */
  private readonly due = new Map<number, Change[]>();
  private now = firstInstant;

  constructor(
    private readonly spec: DataSetSpec,
    private readonly keys: DataSetKeys,
  ) {
    this.random = new Random(spec.seed);
    this.pickAffiliate = zipf(spec.affiliates);
  }

  *events(): Generator<DataSetAppend> {
    yield this.append(streams.account(firstAccountId), accountDecider, {
      type: 'create',
      account_id: firstAccountId,
      name: 'A data set',
    }).append;
    for (let n = 0; n < this.spec.programs; n++)
      yield this.append(streams.program(firstAccountId, programId(n)), programDecider, {
        type: 'register',
        program_id: programId(n),
      }).append;
    for (let n = 0; n < this.spec.affiliates; n++) yield* this.affiliate(n);
    for (let n = 0; n < this.spec.conversions + longestWait(this.spec.conversions) * 2; n++) {
      this.now = firstInstant + Math.floor((n / this.spec.conversions) * yearMs);
      if (n < this.spec.conversions) yield this.sale(n);
      for (const change of this.due.get(n) ?? []) yield this.change(n, change);
      this.due.delete(n);
    }
  }

  /**
   * Makes an affiliate as the gateway does, with a claim on its email address. One in 20 is not
   * approved.
   */
  private *affiliate(n: number): Generator<DataSetAppend> {
    const id = affiliateId(this.spec.seed, n);
    const stream = streams.affiliate(id);
    const program_id = programId(n % this.spec.programs);
    const email = `affiliate.${n}@example.com`;
    const hashes = this.keys.hashesOf({ email, external_id: null });
    const decided = decideAffiliate(
      {
        type: 'create',
        affiliate_id: id,
        approval: n % 20 === 19 ? 'manual' : 'automatic',
        program_id,
        email,
        name: `Affiliate ${n}`,
        metadata: {},
      },
      { kind: 'none' },
    );
    const seal = (values: AffiliateValues): string => this.keys.seal(id, values);
    const events = sealedEvents(decided, affiliateDecider.initial, { seal, hashes });
    const created = this.append(stream, affiliateDecider, { type: 'record', events });
    yield this.append(
      streams.claim(emailClaimHash({ program_id, email_hash: hashes.email })),
      emailClaimDecider,
      {
        type: 'take',
        data: {
          affiliate_id: id,
          append: claimedAppend(stream, created.append.events, undefined),
        },
      },
    ).append;
    yield created.append;
    this.affiliates.push({ id, state: created.state });
  }

  private sale(n: number): DataSetAppend {
    const { random } = this;
    const affiliate = this.affiliates[this.pickAffiliate(random)];
    if (affiliate === undefined) throw new Error('no affiliates');
    const conversion_id = derivedId(
      'conversion',
      firstAccountId,
      'external_transaction_id',
      transactionId(n),
    );
    const { append, state } = this.append(streams.conversion(conversion_id), conversionDecider, {
      type: 'record',
      conversion_id,
      affiliate: affiliate.state,
      program: programDecider.initial,
      firstOccurredAt: null,
      recordedAt: toInstant(this.now),
      sale: {
        affiliate_id: affiliate.id,
        sale_currency: currencies(random),
        external_transaction_id: transactionId(n),
        // most sales are small, few are large
        sale_amount: Math.round(500 * Math.exp(4 * random.next() * random.next())),
        commission_amount: this.spec.commission,
        metadata:
          random.next() < 0.5 ? { campaign: campaigns[random.below(campaigns.length)] ?? '' } : {},
      },
    });
    this.await(n, { conversion_id, state, revision: 0, fate: fates(random) });
    return { ...append, conversion: { before: undefined, after: recordOf(state) } };
  }

  private change(
    n: number,
    { conversion_id, state: before, revision, fate: [status, ...later] }: Change,
  ): DataSetAppend {
    if (status === undefined) throw new Error('there is nothing to change');
    const patch = { status, ...(status !== 'approved' && { reason: 'customer canceled' }) };
    const { append, state } = this.append(
      streams.conversion(conversion_id),
      conversionDecider,
      { type: 'update', conversion_id, patch, inForce: null },
      { state: before, revision },
    );
    this.await(n, { conversion_id, state, revision: revision + 1, fate: later });
    return { ...append, conversion: { before: recordOf(before), after: recordOf(state) } };
  }

  private await(n: number, change: Change): void {
    if (change.fate.length === 0) return;
    const at = n + 1 + this.random.below(longestWait(this.spec.conversions) - 1);
    const others = this.due.get(at);
    if (others === undefined) this.due.set(at, [change]);
    else others.push(change);
  }

  private append<Command, State, Event extends DomainEvent>(
    stream: StreamName,
    decider: Decider<Command, State, Event>,
    command: Command,
    from?: StreamState<State>,
  ): DecidedAppend<State> {
    const request_id = this.random.uuid();
    return decidedAppend(decider, command, {
      stream,
      from,
      commandId: this.random.uuid(),
      metadata: {
        account_id: firstAccountId,
        actor: 'bench',
        request_id,
        recorded_at: toInstant(this.now),
      },
    });
  }
}

interface Change {
  readonly conversion_id: ConversionRecord['id'];
  readonly state: ConversionState;
  readonly revision: number;
  readonly fate: readonly Exclude<ConversionStatus, 'pending'>[];
}

const programId = (n: number): ProgramId => `prog_bench_${n}`;
const transactionId = (n: number): string => `order-${n}`;

const recordOf = (state: ConversionState): ConversionRecord => {
  const record = conversionRecord(state);
  if (record === undefined) throw new Error('no conversion was recorded');
  return record;
};
