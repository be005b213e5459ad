import type { GroupWriter } from './group-writer.js';
import type { CallOf, Methods } from './thread-calls.js';

interface PendingCall<M extends Methods<M>> {
  readonly call: CallOf<M>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Executes all calls that arrive within one tick of the event loop as one group. */
export class CallGroups<M extends Methods<M>> {
  private waiting: PendingCall<M>[] = [];

  constructor(private readonly writer: Pick<GroupWriter<M>, 'perform'>) {}

  perform(call: CallOf<M>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.waiting.push({ call, resolve, reject }) === 1) setImmediate(() => this.performAll());
    });
  }

  /** Executes the calls that wait, without waiting for others. */
  performAll(): void {
    const group = this.waiting;
    this.waiting = [];
    if (group.length === 0) return;
    for (const [index, result] of this.writer.perform(group.map(({ call }) => call)).entries()) {
      if ('value' in result) group[index]?.resolve(result.value);
      else group[index]?.reject(result.error);
    }
  }
}
