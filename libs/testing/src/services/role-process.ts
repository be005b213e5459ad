import { ServiceProcess, type ServiceRole } from './service-process.js';
import type { EndSignal } from './service.js';
import { eventually } from '../wait.js';

/** One of several service processes. It can be killed, suspended and started again. */
export interface ControlledRole {
  readonly role: ServiceRole;
  readonly opsUrl: string;
  kill(): Promise<void>;
  /** Starts it again with the same settings, and waits until it is running. */
  start(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  logs(): string;
}

/** The successive processes of a role, always with the same settings. */
export class RoleProcess implements ControlledRole {
  readonly opsUrl: string;
  private running: ServiceProcess;
  private earlier = '';

  constructor(
    readonly role: ServiceRole,
    private readonly settings: Readonly<Record<string, string>> & { readonly OPS_PORT: string },
  ) {
    this.opsUrl = `http://127.0.0.1:${settings.OPS_PORT}`;
    this.running = new ServiceProcess(role, settings);
  }

  /** Resolves once the process says that it is running. */
  begun(): Promise<void> {
    return this.running.ready();
  }

  async start(): Promise<void> {
    this.earlier += this.running.printed;
    this.running = new ServiceProcess(this.role, this.settings);
    await this.running.ready();
  }

  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  async end(signal: EndSignal): Promise<void> {
    const code = await this.running.end(signal);
    if (signal === 'SIGTERM' && code !== 0)
      throw new Error(
        `the ${this.role} ended with ${code} on SIGTERM; it printed:\n${this.running.printed.slice(-4_000)}`,
      );
  }

  signal(signal: NodeJS.Signals): void {
    this.running.signal(signal);
  }

  /** Resolves once the process's health check says that it is ready. */
  ready(): Promise<void> {
    return eventually(
      async () => {
        const response = await fetch(`${this.opsUrl}/health/ready`);
        if (!response.ok)
          throw new Error(
            `the ${this.role} is not ready: ${await response.text()}; it printed:\n${this.running.printed.slice(-2_000)}`,
          );
      },
      { timeoutMs: 60_000 },
    );
  }

  logs(): string {
    return this.earlier + this.running.printed;
  }
}
