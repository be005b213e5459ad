import type { Api } from './api.js';

/**
 * Affiliates made through the API to record sales for. Their statistics then show whether each sale
 * was counted once.
 */
export class Shop {
  private constructor(
    private readonly service: Api,
    readonly affiliateIds: readonly string[],
  ) {}

  static async open(service: Api, affiliates: number): Promise<Shop> {
    const ids: string[] = [];
    for (let n = 0; n < affiliates; n++)
      ids.push(
        (
          await service.post<{ id: string }>('/v1/affiliates', {
            email: `affiliate.${n}@example.com`,
            name: `Affiliate ${n}`,
            program_id: 'prog_bench',
          })
        ).id,
      );
    return new Shop(service, ids);
  }

  /** Throws unless exactly this many conversions with this sum are counted. */
  async expect(conversions: number, amount: number): Promise<void> {
    let counted = 0;
    let sum = 0;
    for (const id of this.affiliateIds) {
      const stats = await this.service.get<Stats>(`/v1/affiliates/${id}/stats`);
      counted += stats.conversions.total;
      sum += stats.currencies.reduce((total, { sale_amount }) => total + sale_amount.total, 0);
    }
    if (counted !== conversions || sum !== amount)
      throw new Error(
        `${conversions} conversions of ${amount} were acknowledged, but ${counted} of ${sum} are counted`,
      );
  }
}

interface Stats {
  readonly conversions: { readonly total: number };
  readonly currencies: readonly { readonly sale_amount: { readonly total: number } }[];
}
