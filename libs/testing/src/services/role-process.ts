import { reservePort } from '../reserve-port.js';
import { ServiceProcess, type ServiceAddresses, type ServiceRole } from './service-process.js';
import type { EndSignal } from '../service.js';
import { eventually } from '../wait.js';

/** One of several service processes. It can be killed, suspended and started again. */
export interface ControlledRole {
  readonly role: ServiceRole;
  readonly opsUrl: string;
  kill(): Promise<void>;
  /** Starts it again with the same settings and addresses, and waits until it is running. */
  start(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  logs(): string;
}

/** The successive processes of a role, always with the same settings and addresses. */
export class RoleProcess implements ControlledRole {
  private running: ServiceProcess;
  private earlier = '';
  private addresses: ServiceAddresses = { baseUrl: undefined, opsUrl: undefined };

  constructor(
    readonly role: ServiceRole,
    private readonly settings: Readonly<Record<string, string>>,
    private readonly through: readonly string[] = [],
  ) {
    this.running = this.run();
  }

  get pid(): number | undefined {
    return this.running.pid;
  }

  get baseUrl(): string {
    return this.named('baseUrl');
  }

  get opsUrl(): string {
    return this.named('opsUrl');
  }

  /** Resolves once the process says that it is running. The first process chooses the addresses. */
  async whenRunning(): Promise<void> {
    this.addresses = await this.running.ready();
  }

  async start(): Promise<void> {
    this.earlier += this.running.printed;
    this.running = this.run();
    await this.whenRunning();
  }

  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  async end(signal: EndSignal): Promise<void> {
    const code = await this.running.end(signal);
    for (const port of this.ports()) await reservePort(port);
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

  private run(): ServiceProcess {
    const [port, opsPort] = this.ports();
    const address = { HOST: '127.0.0.1', PORT: String(port), OPS_PORT: String(opsPort) };
    return new ServiceProcess(this.role, { ...address, ...this.settings }, this.through);
  }

  /** The ports for its API and for health and metrics; 0 chooses a free one. */
  private ports(): readonly [number, number] {
    const { baseUrl, opsUrl } = this.addresses;
    return [portOf(baseUrl), portOf(opsUrl)];
  }

  private named(name: keyof ServiceAddresses): string {
    const url = this.addresses[name];
    if (url === undefined) throw new Error(`the ${this.role} has named no ${name}`);
    return url;
  }
}

const portOf = (url: string | undefined): number =>
  url === undefined ? 0 : Number(new URL(url).port);
