import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/**
 * A process of the bench that answers one question after another, so that its work takes no time
 * from the asking process.
 */
export class Child<Question, Answer> {
  private constructor(
    private readonly file: URL,
    private readonly child: ChildProcess,
  ) {}

  /** Starts a file that calls `answerParent`. */
  static start<Question, Answer>(file: URL): Child<Question, Answer> {
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
    if (this.child.pid === undefined) throw new Error(`${this.file.pathname} was not started`);
    return this.child.pid;
  }

  /** Asks one question at a time. Rejects with the child's failure, or when the child ends. */
  async ask(question: Question & object): Promise<Answer> {
    const over = new AbortController();
    const { signal } = over;
    const ended = once(this.child, 'exit', { signal }).then(([code]) =>
      Promise.reject(new Error(`${this.file.pathname} ended with ${String(code)}`)),
    );
    try {
      const answered = once(this.child, 'message', { signal });
      this.child.send(question);
      // Decoding border: the child's file declares what it sends.
      const [reply] = (await Promise.race([answered, ended])) as [Reply<Answer>];
      if ('failure' in reply) throw new Error(reply.failure);
      return reply.answer;
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

/** The child's side: answers each question of the parent, and ends with it. */
export const answerParent = <Question, Answer>(
  answer: (question: Question) => Promise<Answer>,
): void => {
  process.on('disconnect', () => process.exit());
  process.on('message', (question: Question) => {
    answer(question).then(
      (value) => report({ answer: value }),
      (error: unknown) =>
        report({
          failure: error instanceof Error ? (error.stack ?? error.message) : String(error),
        }),
    );
  });
};

type Reply<Answer> = { readonly answer: Answer } | { readonly failure: string };

const report = <Answer>(reply: Reply<Answer>): void => void process.send?.(reply);
