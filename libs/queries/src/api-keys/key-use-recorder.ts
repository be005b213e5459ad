import { toInstant, type KeyId } from '@refledger/contracts';
import type { ProcessorLogger } from '@refledger/event-log';
import type { KeyUses, ReadStore } from '@refledger/read-store';

export interface KeyUseRecorderParts {
  readonly store: Pick<ReadStore, 'keyUses' | 'recordKeyUses'>;
  readonly logger: Pick<ProcessorLogger, 'warn'>;
  readonly now?: () => number;
}

const hourMs = 3_600_000;
/** Uses within this time are saved together. */
const lingerMs = 1_000;
const retryAfterMs = 30_000;
/** The maximum number of uses per save. */
const batchSize = 500;

/**
 * Records the hours in which keys are used, in the background: a request only looks up whether its
 * key was noted in this hour already. A process that is killed loses the uses of its last second.
 */
export class KeyUseRecorder {
  private hour = -1;
  private readonly notedInHour = new Set<KeyId>();
  private readonly unsaved = new Map<KeyId, string>();
  private timer: NodeJS.Timeout | undefined;
  private saving: Promise<void> | undefined;
  private isClosing = false;
  private readonly now: () => number;

  constructor(private readonly parts: KeyUseRecorderParts) {
    this.now = parts.now ?? Date.now;
  }

  /** Notes that a key is used now. */
  record(key: KeyId): void {
    const hour = Math.floor(this.now() / hourMs);
    if (hour !== this.hour) {
      this.hour = hour;
      this.notedInHour.clear();
    }
    if (this.notedInHour.has(key)) return;
    this.notedInHour.add(key);
    this.unsaved.set(key, toInstant(hour * hourMs));
    this.saveAfter(lingerMs);
  }

  /** The hours in which these keys were last used, as far as is known. */
  async lastUses(keys: readonly KeyId[]): Promise<KeyUses> {
    // look here first: a use that is saved meanwhile is then in the store
    const unsaved = keys.flatMap((key) => {
      const usedAt = this.unsaved.get(key);
      return usedAt === undefined ? [] : [[key, usedAt] as const];
    });
    const uses = new Map(await this.parts.store.keyUses(keys));
    for (const [key, usedAt] of unsaved) if (usedAt > (uses.get(key) ?? '')) uses.set(key, usedAt);
    return uses;
  }

  /** Saves what is not saved yet. */
  async close(): Promise<void> {
    this.isClosing = true;
    clearTimeout(this.timer);
    await this.saving;
    await this.save();
  }

  private saveAfter(delayMs: number): void {
    if (this.timer !== undefined || this.saving !== undefined || this.isClosing) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.saving = this.save().finally(() => {
        this.saving = undefined;
        if (this.unsaved.size > 0) this.saveAfter(retryAfterMs);
      });
    }, delayMs).unref();
  }

  private async saveBatch(): Promise<void> {
    const batch = new Map([...this.unsaved].slice(0, batchSize));
    await this.parts.store.recordKeyUses(batch);
    // a key may have been used again meanwhile, in the next hour
    for (const [key, usedAt] of batch)
      if (this.unsaved.get(key) === usedAt) this.unsaved.delete(key);
  }

  private async save(): Promise<void> {
    try {
      while (this.unsaved.size > 0) await this.saveBatch();
    } catch (error) {
      this.parts.logger.warn({ err: error }, 'the last uses of API keys cannot be saved yet');
    }
  }
}
