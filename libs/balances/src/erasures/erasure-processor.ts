import { comparePositions, type Checkpoint } from '@refledger/contracts';
import {
  appliedUpTo,
  CommandHandler,
  destroyKey,
  erasedEvent,
  erasedType,
  restoreErasures,
} from '@refledger/application';
import { isReadable, type LogBatch, type LoggedEvent } from '@refledger/event-log';
import type { KeyStore } from '@refledger/key-store';
import type { ProjectionSpec } from '@refledger/read-store';
import {
  plainProgress,
  progressCollection,
  type StoredProgress,
} from '../processor/checkpoints.js';
import {
  LedgerProcessor,
  type LedgerProcessorOptions,
  type LedgerProcessorStatus,
} from '../processor/ledger-processor.js';
import { finishClaimsRegularly } from './finish-claims-regularly.js';
import { noErasures, RunningErasures, type ErasureFigures } from './running-erasures.js';

/** The name of the event processor, in decisions, metrics and health. */
export const erasuresName = 'erasures';

/** Its checkpoint is that of this projection. */
export const erasuresProgress: ProjectionSpec = {
  name: erasuresName,
  version: 1,
  collections: [progressCollection],
};

export interface ErasureProcessorOptions extends LedgerProcessorOptions {
  readonly keys: Pick<
    KeyStore,
    'destroy' | 'checkpoint' | 'saveCheckpoint' | 'scan' | 'scanClaimed' | 'forgetClaims'
  >;
  /** The time between two looks at unfinished claims, in milliseconds; default 10 minutes. */
  readonly claimsEveryMs?: number;
  readonly onStatus?: (status: LedgerProcessorStatus) => void;
}

/**
 * Follows the log and destroys the keys of erased affiliates that a crash has left. The key store
 * keeps how far that has got, too: it may be restored from a backup without the rest. Everything is
 * idempotent. Meanwhile, it finishes claims that a crash has left, so that whoever has a key can be
 * erased.
 */
export class ErasureProcessor {
  private readonly processor: LedgerProcessor<StoredProgress>;
  private readonly commands: CommandHandler;
  private skipped: ReadonlySet<string> = new Set();
  private readonly running = new RunningErasures();
  private savedAt = Number.NEGATIVE_INFINITY;
  /** Whether the erasures are recorded that a restored log had lost. */
  private isRestored = false;

  constructor(private readonly options: ErasureProcessorOptions) {
    const { log, now = Date.now, onStatus } = options;
    this.commands = new CommandHandler(log, { now });
    this.processor = new LedgerProcessor(options, {
      name: erasuresName,
      form: plainProgress(erasuresProgress),
      onStatus: () => onStatus?.(this.status()),
      start: ({ skipped }) => {
        this.skipped = skipped;
        for (const id of skipped) this.running.remove(id);
      },
      startFrom: (progress) => this.startFrom(progress),
      resume: (before) => Promise.resolve(before),
    });
  }

  /** Runs until the signal aborts. `deliver` must call `handle` and pass on its errors. */
  async run(deliver: (batch: LogBatch) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { log, keys, logger, now = Date.now, claimsEveryMs } = this.options;
    const isStandingBy = () => this.status().standingBy;
    const claims = { log, keys, logger, now, claimsEveryMs, isStandingBy, processor: erasuresName };
    await Promise.all([
      this.processor.run((batch) => deliver(batch), signal),
      finishClaimsRegularly(claims, signal),
    ]);
  }

  status(): LedgerProcessorStatus {
    return this.processor.status();
  }

  /**
   * How many erasures were read whose key is not destroyed yet, and for how many seconds the oldest
   * of them has been recorded. Zero while another ledger does the work.
   */
  figures(): ErasureFigures {
    const { now = Date.now } = this.options;
    return this.status().standingBy ? noErasures : this.running.figures(now());
  }

  /** Destroys the keys of the affiliates that these events erase, and saves the checkpoint. */
  async handle({ events }: LogBatch): Promise<void> {
    let hasDestroyed = false;
    const wanted = events.filter(({ id }) => !this.skipped.has(id));
    for (const event of wanted) if (event.type === erasedType) this.running.add(event);
    for (const event of wanted) {
      if (await this.destroy(event)) hasDestroyed = true;
      this.running.remove(event.id);
    }
    await this.save(events.at(-1), hasDestroyed);
    this.processor.restartOnDecision(events);
  }

  private async destroy(logged: LoggedEvent): Promise<boolean> {
    const event = erasedEvent(logged);
    if (event === undefined) return false;
    if (!isReadable(logged))
      this.options.logger.warn(
        { processor: erasuresName, affiliate_id: event.affiliateId, position: event.position },
        'an affiliate.erased cannot be read by this release; its key is destroyed all the same',
      );
    await destroyKey(this.options.keys, event, this.commands.instant());
    return true;
  }

  /**
   * Goes back to where the key store has got if that is earlier. Before that, records erasures again
   * which the log has lost.
   */
  private async startFrom(progress: StoredProgress): Promise<StoredProgress> {
    const { log, keys } = this.options;
    const applied = await appliedUpTo(log, keys);
    // a log is restored while nothing runs, so a retry need not look at all keys again
    if (!this.isRestored) await this.restore(applied);
    this.isRestored = true;
    const { checkpoint } = progress;
    const isBehind =
      checkpoint !== undefined &&
      (applied === undefined || comparePositions(applied, checkpoint.position) < 0);
    const from = isBehind
      ? { ...progress, checkpoint: await this.checkpointAt(applied) }
      : progress;
    this.running.removeThrough(from.checkpoint?.position);
    return from;
  }

  private async restore(applied: Checkpoint['position'] | undefined): Promise<void> {
    const { keys, logger } = this.options;
    const restored = await restoreErasures(this.commands, keys, applied);
    if (restored > 0)
      logger.warn(
        { processor: erasuresName, restored },
        'the log had lost erasures that the key store has; they are recorded again',
      );
  }

  private async checkpointAt(applied: Checkpoint['position'] | undefined) {
    const stored = applied === undefined ? undefined : await this.options.keys.checkpoint();
    return stored?.position === applied ? stored : undefined;
  }

  /** Saves how far the events are handled: immediately after a key was destroyed. */
  private async save(last: LoggedEvent | undefined, hasDestroyed: boolean): Promise<void> {
    const { log, keys } = this.options;
    if (last === undefined) return;
    if (!hasDestroyed && performance.now() - this.savedAt < idleSaveMs) return;
    const checkpoint = { logId: log.id, position: last.position, eventId: last.id };
    await keys.saveCheckpoint(checkpoint);
    await this.processor.save({ ...this.processor.progress, checkpoint });
    this.savedAt = performance.now();
  }
}

/** Events that erase nobody cost little to read again. */
const idleSaveMs = 1_000;
