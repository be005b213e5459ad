import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/**
 * A process of the bench that answers one question after another, so that its work takes no CPU
 * time from the process that asks.
 */
export class Child<Request, Result> {
  private constructor(
    private readonly file: URL,
    private readonly child: ChildProcess,
  ) {}

  /** Starts a file that calls `serveParent`. */
  static start<Request, Result>(file: URL): Child<Request, Result> {
    return new Child(
      file,
      fork(file, {
        serialization: 'advanced',
        execArgv: [],
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      }),
    );
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error(`${this.file.pathname} has not been started`);
    return this.child.pid;
  }

  /** Asks one question at a time. Rejects with the child's failure, or when the child ends. */
  async request(request: Request & object): Promise<Result> {
    const over = new AbortController();
    const { signal } = over;
    const ended = once(this.child, 'exit', { signal }).then(([code]) =>
      Promise.reject(new Error(`${this.file.pathname} exited with ${String(code)}`)),
    );
    try {
      const replied = once(this.child, 'message', { signal });
      this.child.send(request);
      // Decoding boundary: the child's file declares what it sends.
      const [reply] = (await Promise.race([replied, ended])) as [Reply<Result>];
      if ('failure' in reply) throw new Error(reply.failure);
      return reply.result;
    } finally {
      over.abort();
      ended.catch(() => undefined);
    }
  }

  async close(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}

/** The child's side: answers each question of the parent, and exits when the parent does. */
export const serveParent = <Request, Result>(
  respond: (request: Request) => Promise<Result>,
): void => {
  process.on('disconnect', () => process.exit());
  process.on('message', (request: Request) => {
    respond(request).then(
      (value) => report({ result: value }),
      (error: unknown) =>
        report({
          failure: error instanceof Error ? (error.stack ?? error.message) : String(error),
        }),
    );
  });
};

type Reply<Result> = { readonly result: Result } | { readonly failure: string };

const report = <Result>(reply: Reply<Result>): void => void process.send?.(reply);
