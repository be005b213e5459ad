import type { ConversionEvent } from '@refledger/contracts';
import type { AccountContext } from '@refledger/application';
import type { Logger, Metrics } from '@refledger/platform';

/** How many programs are remembered, so that requests cannot fill the memory. */
const maxPrograms = 10_000;

/**
 * Counts new sales that earn nothing because there were no terms, and warns of the first one of
 * each program: perhaps somebody mistyped the id of the program, which its first affiliate then
 * registered without terms.
 */
export class SalesWithoutTerms {
  private readonly warned = new Set<string>();

  constructor(private readonly parts: { readonly metrics: Metrics; readonly logger: Logger }) {}

  /** Notes what a request has recorded. */
  record([event]: readonly ConversionEvent[], { accountId, requestId }: AccountContext): void {
    if (event?.type !== 'conversion.created') return;
    const { after, conversion_id, affiliate_id, program_id } = event.data;
    if (after.commission.why !== 'no_terms') return;
    this.parts.metrics.conversionsWithoutTerms.inc();
    const program = `${accountId}/${program_id}`;
    if (this.warned.has(program) || this.warned.size >= maxPrograms) return;
    this.warned.add(program);
    this.parts.logger.warn(
      { request_id: requestId, account_id: accountId, program_id, affiliate_id, conversion_id },
      `the sales of program ${program_id} earn nothing, because it has no terms; check the id of the program, or set its terms and send {"commission": "by_terms"} to its sales`,
    );
  }
}
