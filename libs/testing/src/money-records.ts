/** The balance of an account and an affiliate in one currency. */
export interface Balance {
  readonly id: string;
  readonly object: 'balance';
  readonly affiliate_id: string;
  readonly program_id: string;
  readonly currency: string;
  readonly earned: number;
  readonly adjusted: number;
  readonly held: number;
  readonly payable: number;
  readonly in_payout: number;
  readonly paid: number;
  readonly on: string;
  readonly schedule: readonly { readonly payable_on: string; readonly amount: number }[];
  readonly minimum: number | null;
  readonly eligible: boolean;
  readonly not_eligible: readonly string[];
  readonly entries: number;
  readonly chain: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly position: string;
}

export interface BalanceSummary {
  readonly object: 'balance_summary';
  readonly on: string;
  readonly currencies: readonly {
    readonly currency: string;
    readonly held: number;
    readonly payable: number;
    readonly negative: number;
    readonly in_payout: number;
    readonly balances: number;
  }[];
  readonly position: string;
}

/** An entry of a balance. */
export interface Entry {
  readonly id: string;
  readonly object: 'entry';
  readonly number: number;
  readonly balance_id: string;
  readonly affiliate_id: string;
  readonly program_id: string;
  readonly currency: string;
  readonly kind: 'commission' | 'correction' | 'reversal' | 'adjustment' | 'adjustment_void';
  readonly amount: number;
  readonly payable_on: string;
  readonly conversion_id: string | null;
  readonly adjustment_id: string | null;
  readonly description: string | null;
  readonly payout_id: string | null;
  readonly caused_by: string;
  readonly posted_at: string;
  readonly created_at: string;
  readonly position: string;
}

/** A payment to an affiliate, past or planned, in one currency. */
export interface Payout {
  readonly id: string;
  readonly object: 'payout';
  readonly affiliate_id: string;
  readonly program_id: string;
  readonly balance_id: string;
  readonly run_id: string | null;
  readonly status: PayoutStatus;
  readonly currency: string;
  readonly amount: number;
  readonly entry_count: number;
  readonly until: string;
  readonly description: string | null;
  readonly reference: string | null;
  readonly reason: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly payee_revision: number;
  readonly chain: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly completed_at: string | null;
  readonly revision: number;
}
/** Payouts for everyone who can be paid. */
export interface PayoutRun {
  readonly id: string;
  readonly object: 'payout_run';
  readonly status: 'running' | 'finished';
  readonly program_id: string | null;
  readonly currency: string | null;
  readonly affiliate_ids: readonly string[] | null;
  readonly until: string;
  readonly ignore_minimum: boolean;
  readonly payouts: {
    readonly created: number;
    readonly skipped: Readonly<Record<string, number>> | null;
  };
  readonly totals: readonly {
    readonly currency: string;
    readonly payouts: number;
    readonly amount: number;
  }[];
  readonly marks: readonly {
    readonly status: PayoutStatus;
    readonly at: string;
    readonly applied_at: string | null;
    readonly changed: number;
    readonly left: number;
  }[];
  readonly position: string;
  readonly description: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly created_at: string;
  readonly finished_at: string | null;
  readonly revision: number;
}

/** The payments that a payout run would make now. */
export interface PayoutRunPreview {
  readonly object: 'payout_run_preview';
  readonly until: string;
  readonly totals: readonly ({
    readonly currency: string;
    readonly payouts: number;
    readonly amount: number;
  } & Readonly<
    Record<
      | 'nothing_payable'
      | 'negative'
      | 'not_approved'
      | 'payout_hold'
      | 'below_minimum'
      | 'too_many_open_payouts'
      | 'too_many_ranges'
      | 'payee_changed',
      { readonly balances: number; readonly amount: number }
    >
  >)[];
  readonly position: string;
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

export const payoutStatuses = ['created', 'processing', 'completed', 'failed', 'canceled'] as const;
export type PayoutStatus = (typeof payoutStatuses)[number];

/** The changes to a balance in one month, or one page of them. */
export interface Statement {
  readonly object: 'statement';
  readonly balance_id: string;
  readonly affiliate_id: string;
  readonly currency: string;
  readonly from: string;
  readonly to: string;
  readonly final: boolean;
  readonly opening: number;
  readonly commission: number;
  readonly correction: number;
  readonly reversal: number;
  readonly adjustment: number;
  readonly paid: number;
  readonly returned: number;
  readonly closing: number;
  readonly chain: string;
  readonly data: readonly StatementLine[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}
export interface StatementLine {
  readonly at: string;
  readonly kind: Entry['kind'] | 'paid' | 'returned';
  readonly amount: number;
  readonly entry_id?: string;
  readonly conversion_id?: string;
  readonly adjustment_id?: string;
  readonly description?: string;
  readonly payable_on?: string;
  readonly payout_id?: string;
}

/** The totals of the statements of an account for one month. */
export interface StatementSummary {
  readonly object: 'statement_summary';
  readonly month: string;
  readonly from: string;
  readonly to: string;
  readonly final: boolean;
  readonly currencies: readonly {
    readonly currency: string;
    readonly opening: number;
    readonly earned: number;
    readonly adjusted: number;
    readonly paid: number;
    readonly closing: number;
    readonly balances: number;
  }[];
  readonly position: string;
}

/** The lines of a balance's ledger: its chained events, then the end. */
export type LedgerLines = readonly [
  ...{
    readonly type: string;
    readonly data: Readonly<Record<string, unknown>> & { readonly chain: string };
    readonly position: string;
    readonly recorded_at: string;
  }[],
  {
    readonly object: 'end';
    readonly count: number;
    readonly chain: string;
    readonly position: string;
  },
];
