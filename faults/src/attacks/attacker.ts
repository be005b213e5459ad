import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Seeded } from './attack.js';
import type { AttackName } from './attacks.js';

export interface AttackPlan {
  readonly attack: AttackName;
  readonly baseUrl: string;
  readonly seeded: Seeded;
}

/** What one round of an attack came to. */
export interface AttackReport {
  /** How many answers there were of each status. */
  readonly answers: Readonly<Record<number, number>>;
  /** Of requests that got no answer. */
  readonly errors: readonly string[];
}

/** An attack from a process of its own: it takes no time from the client that measures. */
export class Attacker {
  private constructor(private readonly child: ChildProcess) {}

  /** Resolves once the process could begin, so that its start is part of no measurement. */
  static async start(plan: AttackPlan): Promise<Attacker> {
    const program = new URL('../../dist/attacks/attacker.process.js', import.meta.url);
    // threads that help to collect its garbage would take both cores at once
    const execArgv = ['--single-threaded-gc'];
    const child = fork(fileURLToPath(program), [JSON.stringify(plan)], { execArgv });
    const attacker = new Attacker(child);
    await attacker.attack(0);
    return attacker;
  }

  /** Attacks for so long, then waits for the last answers. */
  async attack(forMs: number): Promise<AttackReport> {
    const ended = new AbortController();
    const gone = once(this.child, 'exit', ended).then(() => {
      throw new Error('the process of the attack ended');
    });
    // A decoding border: the program of this folder sends it.
    const answered = once(this.child, 'message', ended) as Promise<[AttackReport]>;
    this.child.send({ forMs });
    try {
      const [report] = await Promise.race([answered, gone]);
      return report;
    } finally {
      for (const waiting of [gone, answered]) waiting.catch(() => undefined);
      ended.abort();
    }
  }

  async close(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exit;
  }
}
