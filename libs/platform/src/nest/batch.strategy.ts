import { BaseRpcContext, Server, type CustomTransportStrategy } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';

/** What hands out batches in order: a processor of the event log or a consumer of the event bus. It runs until the signal aborts. */
export interface BatchSource<Batch> {
  /** A batch counts as dealt with when `deliver` resolves; what it rejects with is the source's to deal with. */
  run(deliver: (batch: Batch) => Promise<void>, signal: AbortSignal): Promise<void>;
}

/** The pattern of the one handler: `@EventPattern<string>(batches)`. */
export const batches = 'batches';

/**
 * Nest's transport over a source of batches: a whole batch is one call of the one handler, since a call an event costs more than the work.
 * The controller needs `@UseFilters(HandlerErrors)`, or else Nest hides what went wrong from the source.
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

  /** Resolves once the source has ended, its last batch dealt with. */
  async close(): Promise<void> {
    this.stop.abort();
    await this.running;
  }

  on(): never {
    throw new Error('a source of batches has no events of its own');
  }

  unwrap<T>(): T {
    return this.source as T;
  }
}
