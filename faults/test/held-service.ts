import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  startStandalone,
  until,
  type ApiResponse,
  type StandaloneService,
} from '@refledger/testing';

/** A request that is held. */
export interface Held<T> {
  /** Its response; undefined if the service was killed. */
  readonly response: Promise<ApiResponse<T> | undefined>;
  readonly release: () => Promise<void>;
}

/**
 * A service whose writers can be held after they have written their claim and before the append
 * that the claim names (src/preloads/held-claims.ts).
 */
export class HeldService {
  private held = 0;

  private constructor(
    private readonly folder: string,
    readonly service: StandaloneService,
  ) {}

  static async start(): Promise<HeldService> {
    const folder = await mkdtemp(join(tmpdir(), 'refledger-claims-'));
    await mkdir(join(folder, 'held'));
    const preload = fileURLToPath(new URL('../dist/preloads/held-claims.js', import.meta.url));
    const service = await startStandalone({
      dataDir: join(folder, 'data'),
      env: { NODE_OPTIONS: `--import=${preload}`, FAULTS_HOLD: join(folder, 'held') },
    });
    return new HeldService(folder, service);
  }

  /** The header that identifies the last held request, for its repetition. */
  get key(): Record<string, string> {
    return { 'idempotency-key': `key-${this.held}` };
  }

  /** Starts a request with these headers and waits until it is held. */
  async hold<T>(
    send: (headers: Record<string, string>) => Promise<ApiResponse<T>>,
  ): Promise<Held<T>> {
    const name = `held-${++this.held}`;
    const mark = join(this.folder, 'held', name);
    const response = send({ 'x-request-id': name, ...this.key }).catch(() => undefined);
    await until(() => existsSync(mark));
    return { response, release: () => rm(mark) };
  }

  async stop(): Promise<void> {
    await this.service.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}
