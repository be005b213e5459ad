import {
  DomainError,
  streams,
  type AccountId,
  type AffiliateEvent,
  type AffiliateId,
  type ErasureRecord,
  type PayoutId,
  type Position,
} from '@refledger/contracts';
import {
  affiliateDecider,
  erasureOf,
  type AffiliateCommand,
  type AffiliateState,
  type Erasure,
} from '@refledger/domain';
import type { EventLog, LoadedStream } from '@refledger/event-log';
import { KeyStoreError, type KeyStore } from '@refledger/key-store';
import type { AccountContext } from '../command-context.js';
import type { CommandHandler } from '../command-handler.js';
import { destroyKey } from '../personal-keys/destroy-key.js';
import { erasedEvent, type ErasedEvent } from '../personal-keys/erased-event.js';

/** An erasure, and whether it is finished. */
export type ErasureProgress = Erasure & Pick<ErasureRecord, 'finished_at'>;

export interface ErasuresParts {
  readonly commands: CommandHandler;
  readonly log: Pick<EventLog, 'readStream'>;
  readonly keys: Pick<KeyStore, 'destroy' | 'getMany'>;
  readonly openPayouts: OpenPayouts;
  readonly logger: { warn(details: object, message: string): void };
}

/** Finds the payouts of an affiliate that have not ended, as the log has them, at most `limit`. */
interface OpenPayouts {
  of(account: AccountId, affiliate: AffiliateId, limit: number): Promise<readonly PayoutId[]>;
}

interface EraseRequest {
  readonly affiliate_id: AffiliateId;
  readonly context: AccountContext;
  /** Throws if the account has never had such an affiliate. */
  readonly precondition: (loaded: LoadedStream<AffiliateState>) => void;
}

/**
 * Erases affiliates: records it, which decides, and then destroys the key. If that fails, the
 * ledger's processor `erasures` destroys it.
 */
export class Erasures {
  constructor(private readonly parts: ErasuresParts) {}

  /**
   * Erases an affiliate, and deletes it unless it is deleted. It needs no key of the affiliate.
   * Again, it returns the same erasure. Throws `payouts_open` while payouts have not ended.
   */
  async erase({
    affiliate_id,
    context,
    precondition,
  }: EraseRequest): Promise<{ readonly erasure: ErasureProgress; readonly position: Position }> {
    const { revision } = await this.parts.commands.run<
      AffiliateCommand,
      AffiliateState,
      AffiliateEvent
    >({
      stream: streams.affiliate(affiliate_id),
      decider: affiliateDecider,
      context,
      precondition,
      command: async ({ kind }) => {
        if (kind !== 'erased') await this.requireNoOpenPayouts(context.accountId, affiliate_id);
        return { type: 'erase', affiliate_id };
      },
    });
    const event = await this.eventAt(affiliate_id, revision);
    const erasure = (await this.destroyNow(event))
      ? await this.progressOf(event)
      : { ...erasureOf(affiliate_id, event.metadata), finished_at: null };
    return { erasure, position: event.position };
  }

  /** The erasure of an affiliate whose stream was loaded; undefined if it is not erased. */
  async get({
    state,
    revision,
  }: LoadedStream<AffiliateState>): Promise<ErasureProgress | undefined> {
    if (state.kind !== 'erased') return undefined;
    return this.progressOf(await this.eventAt(state.record.id, revision));
  }

  /** Whether erasures are finished, with one call to the key store. */
  async withProgress(erasures: readonly Erasure[]): Promise<readonly ErasureProgress[]> {
    const ids = erasures.map(({ id }) => id);
    const stored = await this.parts.keys.getMany(ids);
    return erasures.map((erasure) => {
      const key = stored.get(erasure.id);
      return { ...erasure, finished_at: key?.kind === 'erased' ? key.erasedAt : null };
    });
  }

  private async progressOf({ affiliateId, metadata }: ErasedEvent): Promise<ErasureProgress> {
    const [progress] = await this.withProgress([erasureOf(affiliateId, metadata)]);
    if (progress === undefined) throw new TypeError('an erasure has no progress');
    return progress;
  }

  /** Whether the key is destroyed. A failure changes nothing about the erasure, which is recorded. */
  private async destroyNow(event: ErasedEvent): Promise<boolean> {
    const { keys, commands, logger } = this.parts;
    try {
      await destroyKey(keys, event, commands.instant());
      return true;
    } catch (error) {
      if (!(error instanceof KeyStoreError)) throw error;
      logger.warn(
        { err: error, affiliate_id: event.affiliateId },
        'the key of an erased affiliate was not destroyed; the ledger does it later',
      );
      return false;
    }
  }

  /** The event that erased an affiliate, which is the last one of its stream. */
  private async eventAt(id: AffiliateId, revision: number | undefined): Promise<ErasedEvent> {
    const at = { from: revision ?? 0, to: revision ?? 0 };
    for await (const [logged] of this.parts.log.readStream(streams.affiliate(id), at)) {
      const event = logged && erasedEvent(logged);
      if (event !== undefined) return event;
    }
    throw new Error(`revision ${revision} of affiliate ${id} is not its erasure`);
  }

  private async requireNoOpenPayouts(account: AccountId, id: AffiliateId): Promise<void> {
    const payouts = await this.parts.openPayouts.of(account, id, shownPayouts);
    if (payouts.length > 0)
      throw new DomainError(
        'payouts_open',
        `Affiliate ${id} has payouts that are created or processing, so it was not erased. Complete, fail or cancel them first.`,
        { payouts },
      );
  }
}

/** The most payouts that a refusal names. */
const shownPayouts = 10;
