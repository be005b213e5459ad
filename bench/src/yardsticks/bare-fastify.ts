import type { Target } from '../load/load-plan.js';
import { Child } from '../process/child.js';
import type { BareFastifyAddress, BareFastifyStart } from './bare-fastify.process.js';

/** A bare Fastify in its own process. */
export class BareFastify {
  private constructor(
    private readonly child: Child<BareFastifyStart, BareFastifyAddress>,
    readonly origin: string,
  ) {}

  static async start(responses: readonly Target[] = []): Promise<BareFastify> {
    const child = Child.start<BareFastifyStart, BareFastifyAddress>(
      new URL('./bare-fastify.process.js', import.meta.url),
    );
    const { origin } = await child.request({ responses });
    return new BareFastify(child, origin);
  }

  get pid(): number {
    return this.child.pid;
  }

  close(): Promise<void> {
    return this.child.close();
  }
}
