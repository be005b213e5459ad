import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { AttackTarget } from './attack.js';
import type { AttackName } from './attacks.js';

/** The argument of the attacker process, as JSON. */
export interface AttackPlan {
  readonly attack: AttackName;
  readonly baseUrl: string;
  readonly seeded: AttackTarget;
}

/** The result of one round of an attack. */
export interface AttackReport {
  /** How many responses had each status. */
  readonly responses: Readonly<Record<number, number>>;
  /** The errors of requests that got no response. */
  readonly errors: readonly string[];
}

/** Runs an attack in its own process, so that it takes no CPU time from the measuring client. */
export class Attacker {
  private constructor(private readonly child: ChildProcess) {}

  /** Resolves once the process responds, so that no measurement includes its start. */
  static async start(plan: AttackPlan): Promise<Attacker> {
    const program = new URL('../../dist/attacks/attacker.process.js', import.meta.url);
    // threads that help with its garbage collection would occupy both cores
    const execArgv = ['--single-threaded-gc'];
    const child = fork(fileURLToPath(program), [JSON.stringify(plan)], { execArgv });
    const attacker = new Attacker(child);
    await attacker.attack(0);
    return attacker;
  }

  /** Attacks for `forMs` milliseconds, then waits for the last responses. */
  async attack(forMs: number): Promise<AttackReport> {
    const ended = new AbortController();
    const gone = once(this.child, 'exit', ended).then(() => {
      throw new Error('the process of the attack ended');
    });
    // Decoding boundary: `attacker.process.ts` sends it.
    const reported = once(this.child, 'message', ended) as Promise<[AttackReport]>;
    this.child.send({ forMs });
    try {
      const [report] = await Promise.race([reported, gone]);
      return report;
    } finally {
      for (const waiting of [gone, reported]) waiting.catch(() => undefined);
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
