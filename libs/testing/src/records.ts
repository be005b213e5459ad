import type { Payout } from './money-records.js';

/**
 * The records with the fields that the contract lists. They are repeated here so that the suites
 * check the service and not its own types.
 */
export interface Conversion {
  readonly id: string;
  readonly object: 'conversion';
  readonly affiliate_id: string;
  readonly program_id: string;
  readonly status: ConversionStatus;
  readonly occurred_at: string;
  readonly sale_amount: number;
  readonly refunded_amount: number;
  readonly sale_currency: string;
  readonly commission_amount: number;
  readonly commission: Commission;
  readonly payable_on: string;
  readonly external_transaction_id: string | null;
  readonly customer_id: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly reason: string | null;
  readonly payout_id: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly approved_at: string | null;
  readonly revision: number;
}
interface Commission {
  readonly source: 'program' | 'affiliate' | 'explicit' | 'none';
  readonly terms_version: number | null;
  readonly type: 'percentage' | 'flat' | null;
  readonly rate_bps: number | null;
  readonly why: string;
}
export type Quote = Pick<Conversion, 'commission_amount' | 'commission' | 'payable_on'>;
export const conversionStatuses = ['pending', 'approved', 'rejected', 'refunded'] as const;
export type ConversionStatus = (typeof conversionStatuses)[number];

export interface Affiliate {
  readonly id: string;
  readonly object: 'affiliate';
  readonly email: string;
  readonly external_id: string | null;
  readonly name: string;
  readonly program_id: string;
  readonly status: AffiliateStatus;
  readonly commission: Readonly<Record<string, unknown>> | null;
  readonly commission_version: number;
  readonly payout_email: string | null;
  readonly payout_hold: boolean;
  readonly payout_hold_reason: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly reason: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly approved_at: string | null;
  readonly revision: number;
}
export const affiliateStatuses = ['pending', 'approved', 'rejected', 'suspended'] as const;
export type AffiliateStatus = (typeof affiliateStatuses)[number];

/** The erasure of an affiliate. */
export interface Erasure {
  readonly id: string;
  readonly object: 'erasure';
  readonly affiliate_id: string;
  readonly status: 'running' | 'finished';
  readonly created_at: string;
  readonly finished_at: string | null;
  readonly actor: Change['actor'];
}

export interface Program {
  readonly id: string;
  readonly object: 'program';
  readonly name: string;
  readonly status: 'active' | 'archived';
  readonly terms: Readonly<Record<string, unknown>> | null;
  readonly terms_version: number;
  readonly affiliate_approval: 'manual' | 'automatic';
  readonly conversion_approval: 'manual' | 'automatic';
  readonly minimum_payout: Readonly<Record<string, number>>;
  readonly metadata: Readonly<Record<string, string>>;
  readonly created_at: string;
  readonly updated_at: string;
  readonly revision: number;
}

export interface Adjustment {
  readonly id: string;
  readonly object: 'adjustment';
  readonly affiliate_id: string;
  readonly program_id: string;
  readonly status: 'posted' | 'voided';
  readonly currency: string;
  readonly amount: number;
  readonly description: string;
  readonly payable_on: string;
  readonly external_id: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly reason: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly revision: number;
}

/** One version of a program's terms. */
export interface TermsVersion {
  readonly object: 'terms_version';
  readonly version: number;
  readonly terms: Program['terms'];
  readonly in_force_from: { readonly at: string; readonly position: string };
  readonly in_force_to: { readonly at: string; readonly position: string } | null;
  readonly actor: Change['actor'];
  readonly reason: string | null;
}

/** A record whose events are public. */
export type PublicRecord = Conversion | Affiliate | Program | Adjustment | Payout;

/** One change in the history of a record. */
export interface Change<T = PublicRecord> {
  readonly id: string;
  readonly object: 'change';
  readonly type: string;
  readonly revision: number;
  readonly position: string;
  readonly at: string;
  readonly actor: {
    readonly type: 'api_key' | 'system';
    readonly id: string;
    readonly name: string | null;
  };
  readonly request_id: string;
  readonly reason: string | null;
  /** Present on every change to an erased affiliate. */
  readonly erased?: true;
  readonly changes: readonly {
    readonly path: string;
    readonly before: unknown;
    readonly after: unknown;
  }[];
  readonly record?: T;
}

type Figures = Readonly<Record<'total' | ConversionStatus, number>>;
export interface AffiliateStats {
  readonly object: 'affiliate_stats';
  readonly affiliate_id: string;
  readonly conversions: Figures;
  readonly currencies: readonly {
    readonly currency: string;
    readonly conversions: Figures;
    readonly sale_amount: Figures;
    readonly commission_amount: Figures & { readonly paid: number; readonly unpaid: number };
  }[];
  readonly first_conversion_at: string | null;
  readonly last_conversion_at: string | null;
  readonly position: string;
}

export interface Account {
  readonly id: `acct_${string}`;
  readonly name: string;
  readonly api_key?: string;
}

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly scope: Scope;
  readonly api_key?: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
}
export type Scope = 'read' | 'write' | 'admin' | 'operator';

export interface Page<T> {
  readonly object: 'list';
  readonly data: readonly T[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly request_id: string;
  readonly errors?: readonly {
    readonly path: string;
    readonly code: string;
    readonly message: string;
    readonly sent?: unknown;
    readonly stored?: unknown;
  }[];
  readonly conversion_id?: string;
  readonly affiliate_id?: string;
  readonly program_id?: string;
  readonly adjustment_id?: string;
  readonly payable?: number;
  readonly minimum?: number;
  readonly next_payable_on?: string | null;
  readonly payouts?: readonly string[];
  readonly replay_id?: string;
}

/** The body of a webhook. */
export interface Envelope<T = PublicRecord> {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly account_id: string;
  readonly position: string;
  readonly data: T;
}
