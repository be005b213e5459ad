import { BaseRpcContext, Server, type CustomTransportStrategy } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import type { BatchSource } from '../batches.js';

/** The pattern of the only handler. */
export const batches = 'batches';

/**
 * Nest's transport over a source of batches. Each call to the only handler takes a whole batch,
 * since one call per event would cost more than the work.
 */
export class BatchStrategy<Batch> extends Server implements CustomTransportStrategy {
  override readonly transportId = Symbol('batches');
  override readonly propagatesEventHandlerErrors = true;
  private readonly stop = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly source: BatchSource<Batch>) {
    super();
  }

  listen(callback: (error?: unknown) => void): void {
    const handler = this.getHandlerByPattern(batches);
    if (handler === null) {
      callback(new Error(`no controller handles ${batches}`));
      return;
    }
    this.running = this.source.run(async (batch) => {
      const result: unknown = await handler(batch, new BaseRpcContext([]));
      if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
    }, this.stop.signal);
    callback();
  }

  /** Stops the source. Resolves once its last batch is done. */
  async close(): Promise<void> {
    this.stop.abort();
    await this.running;
  }

  on(): never {
    throw new Error('a source of batches emits no events');
  }

  unwrap(): never {
    throw new Error('a source of batches has no server to unwrap');
  }
}
