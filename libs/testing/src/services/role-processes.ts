import { RoleProcess } from './role-process.js';
import type { ServiceRole } from './service-process.js';
import type { EndSignal } from '../service.js';

/** The processes of one service, one or more per role. */
export class RoleProcesses {
  private readonly running: RoleProcess[] = [];

  constructor(
    private readonly settings: Readonly<Record<string, string>>,
    /** False if the processes cannot become ready, so that `ready` does not wait for them. */
    private readonly waitUntilReady: boolean,
  ) {}

  /** The processes that were added and have not left. */
  get all(): readonly RoleProcess[] {
    return this.running;
  }

  /** Starts another process of a role, and waits until it is running. `own` overrides settings. */
  async add(role: ServiceRole, own: Readonly<Record<string, string>> = {}): Promise<RoleProcess> {
    const added = new RoleProcess(role, { ...this.settings, ...own });
    this.running.push(added);
    await added.whenRunning();
    return added;
  }

  /** Stops one process cleanly and permanently. */
  async leave(role: RoleProcess): Promise<void> {
    this.running.splice(this.running.indexOf(role), 1);
    await role.end('SIGTERM');
  }

  /** Starts all processes again, and waits until they are ready. */
  async start(): Promise<void> {
    await this.each((role) => role.start());
    await this.ready();
  }

  async ready(): Promise<void> {
    if (this.waitUntilReady) await this.each((role) => role.ready());
  }

  end(signal: EndSignal): Promise<void> {
    return this.each((role) => role.end(signal));
  }

  private async each(act: (role: RoleProcess) => Promise<void>): Promise<void> {
    await Promise.all(this.running.map(act));
  }
}
