import { Child } from '../process/child.js';
import type { LoadPlan, LoadReport } from './load-plan.js';

/** Generates load from its own process. */
export class LoadGenerator {
  private readonly child = Child.start<LoadPlan, LoadReport>(
    new URL('./load.process.js', import.meta.url),
  );

  /** Rejects when any response was wrong. */
  async run(plan: LoadPlan): Promise<LoadReport> {
    const report = await this.child.request(plan);
    if (report.wrong > 0)
      throw new Error(
        `${report.wrong} of ${report.answered} responses were wrong; the first: ${report.firstWrong ?? ''}`,
      );
    return report;
  }

  close(): Promise<void> {
    return this.child.close();
  }
}
