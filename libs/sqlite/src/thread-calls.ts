import { MessagePort, receiveMessageOnPort, type Transferable } from 'node:worker_threads';

/** The methods that one thread offers to another. Arguments and results must be cloneable. */
export type Methods<M> = { readonly [Name in keyof M]: (...args: never[]) => unknown };

export type CallOf<M extends Methods<M>> = {
  readonly [Name in keyof M]: { readonly method: Name; readonly args: Parameters<M[Name]> };
}[keyof M];

type Reply = { readonly id: number } & ({ readonly value: never } | { readonly failure: never });

/** The end of a channel to another thread: a `Worker` or a `MessagePort`. */
export interface Channel {
  postMessage(message: unknown, transfer?: readonly Transferable[]): void;
  on(event: 'message', listener: (replies: readonly Reply[]) => void): unknown;
  ref(): unknown;
  unref(): unknown;
}

/**
 * Calls the methods of another thread, where a `CallServer` answers. A call that waits for its
 * answer keeps the process alive.
 */
export class Calls<M extends Methods<M>> {
  private readonly waiting = new Map<number, Settle>();
  private queued: { readonly id: number }[] = [];
  private lastId = 0;
  private refusal: Error | undefined;

  constructor(
    private readonly channel: Channel,
    /** Makes the error to throw from what the server's `failureOf` returned. */
    private readonly errorOf: (failure: never) => unknown,
  ) {
    channel.on('message', (replies) => replies.forEach((reply) => this.settle(reply)));
    channel.unref();
  }

  /** Ports among the arguments are transferred. */
  readonly call = <Name extends keyof M>(
    method: Name,
    ...args: Parameters<M[Name]>
  ): Promise<Awaited<ReturnType<M[Name]>>> => {
    const answer = this.queue(method, args);
    this.post(portsAmong(args));
    return answer;
  };

  /**
   * Posts the calls of one turn of the event loop as one message, which takes less time than a
   * message each. Takes no ports.
   */
  readonly callSoon = <Name extends keyof M>(
    method: Name,
    ...args: Parameters<M[Name]>
  ): Promise<Awaited<ReturnType<M[Name]>>> => {
    if (this.queued.length === 0) setImmediate(() => this.post());
    return this.queue(method, args);
  };

  /** Posts the calls that wait for the end of the turn. */
  post(ports: readonly Transferable[] = []): void {
    const calls = this.queued;
    this.queued = [];
    if (calls.length === 0) return;
    try {
      this.channel.postMessage(calls, ports);
    } catch (error) {
      for (const { id } of calls) this.answer(id, ({ reject }) => reject(error));
    }
  }

  private queue<Name extends keyof M>(
    method: Name,
    args: Parameters<M[Name]>,
  ): Promise<Awaited<ReturnType<M[Name]>>> {
    return new Promise((resolve, reject) => {
      if (this.refusal !== undefined) return reject(this.refusal);
      const call = { id: ++this.lastId, method, args };
      this.waiting.set(call.id, { resolve, reject });
      this.channel.ref();
      this.queued.push(call);
    });
  }

  /** Refuses further calls; those that wait are still answered. */
  refuse(error: Error): void {
    this.refusal ??= error;
  }

  /** Refuses further calls and those that wait, because the other thread has ended. */
  end(error: Error): void {
    this.refuse(error);
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }

  private settle(reply: Reply): void {
    this.answer(reply.id, ({ resolve, reject }) => {
      if ('value' in reply) resolve(reply.value);
      else reject(this.errorOf(reply.failure));
    });
  }

  private answer(id: number, settle: (waiting: Settle) => void): void {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    if (this.waiting.size === 0 && this.refusal === undefined) this.channel.unref();
    if (waiting !== undefined) settle(waiting);
  }
}

const portsAmong = (values: readonly unknown[]): MessagePort[] =>
  values.filter((value) => value instanceof MessagePort);

interface Settle {
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

export interface CallServerOptions<M extends Methods<M>> {
  /** Performs a call, and returns its result or a promise of it. */
  readonly perform: (call: CallOf<M>) => unknown;
  /**
   * The parts of an error to post, since a posted error loses its class. Rethrows a programming
   * error, which ends the thread.
   */
  readonly failureOf: (error: unknown) => unknown;
  /** Called when the other thread closes this one. The callback may still finish calls. */
  readonly onClose?: () => void | Promise<void>;
}

/** Answers the `Calls` of another thread. Answers that are ready together are posted as one. */
export class CallServer<M extends Methods<M>> {
  private replies: unknown[] = [];

  constructor(
    private readonly port: MessagePort,
    private readonly options: CallServerOptions<M>,
  ) {
    port.on('message', (message: Message<M>) => this.handle(message));
  }

  /** Takes the calls that were posted but have not arrived yet. */
  drain(): void {
    let next: { readonly message: Message<M> } | undefined;
    while ((next = receiveMessageOnPort(this.port)) !== undefined) this.handle(next.message);
  }

  /** Posts the answers of the calls that are finished, and closes the port. */
  async close(): Promise<void> {
    await Promise.resolve();
    this.post();
    this.port.close();
  }

  private handle(message: Message<M>): void {
    if (message === closing) void this.end();
    else for (const call of message) void this.reply(call);
  }

  private async end(): Promise<void> {
    await this.options.onClose?.();
    await this.close();
  }

  private async reply({ id, ...call }: CallMessage<M>): Promise<void> {
    const { perform, failureOf } = this.options;
    let reply;
    try {
      reply = { id, value: await perform(call) };
    } catch (error) {
      reply = { id, failure: failureOf(error) };
    }
    if (this.replies.push(reply) === 1) queueMicrotask(() => this.post());
  }

  private post(): void {
    if (this.replies.length > 0) this.port.postMessage(this.replies);
    this.replies = [];
  }
}

type CallMessage<M extends Methods<M>> = CallOf<M> & { readonly id: number };
type Message<M extends Methods<M>> = readonly CallMessage<M>[] | typeof closing;

export const closing = 'close';

/** Performs calls with the methods of an object. */
export const callsTo =
  <M extends Methods<M>>(methods: M) =>
  ({ method, args }: CallOf<M>): unknown =>
    Reflect.apply(methods[method], methods, args);
