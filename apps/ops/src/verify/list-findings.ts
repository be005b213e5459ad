import type { Console } from '../console.js';
import type { Progress } from '../progress.js';

/** How to list what an audit finds. */
interface Listing<Finding> {
  readonly console: Console;
  readonly progress: Progress;
  /** How many findings to list; all are counted. */
  readonly show: number;
  readonly lineOf: (finding: Finding) => string;
}

/** Lists what an audit finds. Resolves to the number of findings, and to what it has compared. */
export const listFindings = async <Finding, Compared>(
  audit: AsyncGenerator<Finding, Compared>,
  { console, progress, show, lineOf }: Listing<Finding>,
): Promise<{ readonly findings: number; readonly compared: Compared }> => {
  for (let findings = 0; ;) {
    const next = await audit.next();
    if (next.done === true) {
      progress.end();
      if (findings > show) await console.print(`  and ${findings - show} more`);
      return { findings, compared: next.value };
    }
    if (++findings <= show) await console.print(`  ${lineOf(next.value)}`);
  }
};
