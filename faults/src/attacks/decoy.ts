import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { AttackName } from './attacks.js';

/**
 * A bare HTTP server that is attacked while a client is measured alone. This keeps the machine as
 * busy as during the attack on the service: an attacker's own work takes time from all others on
 * the same cores, and must not count as the service's.
 */
export class Decoy {
  private constructor(
    private readonly child: ChildProcess,
    readonly baseUrl: string,
  ) {}

  static async start(attack: AttackName): Promise<Decoy> {
    const program = new URL('../../dist/attacks/decoy.process.js', import.meta.url);
    const child = fork(fileURLToPath(program), [attack]);
    // Decoding boundary: `decoy.process.ts` sends it.
    const [baseUrl] = (await once(child, 'message')) as [string];
    return new Decoy(child, baseUrl);
  }

  async close(): Promise<void> {
    const exit = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exit;
  }
}
