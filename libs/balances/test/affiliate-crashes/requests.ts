import type { AffiliateId } from '@refledger/contracts';
import type { Random } from '@refledger/testing';
import { present } from '@refledger/testing/present';

/** A request about an affiliate. A repetition is the same request. */
export type Request =
  | {
      readonly type: 'create';
      readonly id: AffiliateId;
      readonly email: string;
      readonly name: string;
    }
  | {
      readonly type: 'change';
      readonly id: AffiliateId;
      readonly patch: { readonly email?: string; readonly name?: string };
    }
  | { readonly type: 'delete' | 'erase'; readonly id: AffiliateId };

/** What requests have made of an affiliate. */
export type AffiliateLife =
  | { readonly kind: 'none' | 'deleted' | 'erased' }
  | { readonly kind: 'exists'; readonly email: string; readonly name: string };

/** Draws requests about a few affiliates, which compete for a few addresses. */
export class DrawnRequests {
  private readonly creations = new Map<AffiliateId, Request>();
  private names = 0;

  constructor(
    private readonly random: Random,
    private readonly ids: readonly AffiliateId[],
  ) {}

  /**
   * Draws one, mostly about an affiliate that exists. Half of the creations repeat one with the same
   * Idempotency-Key.
   */
  next(existing: readonly AffiliateId[]): Request {
    const type = this.random.weighted({ create: 6, email: 4, name: 2, delete: 1, erase: 6 });
    const isAny = type === 'create' || existing.length === 0 || this.random.is(0.1);
    const id = present(this.random.pick(isAny ? this.ids : existing));
    switch (type) {
      case 'create':
        return (this.random.is(0.5) ? this.creations.get(id) : undefined) ?? this.creation(id);
      case 'email':
        return { type: 'change', id, patch: { email: this.email() } };
      case 'name':
        return { type: 'change', id, patch: { name: this.name() } };
      case 'delete':
      case 'erase':
        return { type, id };
    }
  }

  /** Returns a new creation. */
  creation(id: AffiliateId): Request {
    const creation = { type: 'create', id, email: this.email(), name: this.name() } as const;
    this.creations.set(id, creation);
    return creation;
  }

  private email(): string {
    return `wanted${this.random.intBelow(12)}@example.com`;
  }

  private name(): string {
    return `Ada ${this.names++}`;
  }
}

/**
 * All lives that an affiliate may have had when every acknowledged request has been carried out
 * once, in some order, and each request without a response once or not at all.
 */
export const possibleLives = (
  before: AffiliateLife,
  acknowledged: readonly Request[],
  unknown: readonly Request[],
): AffiliateLife[] => {
  const after = [...acknowledged, ...unknown].flatMap((request) => {
    const next = carriedOut(request, before);
    const others = (requests: readonly Request[]) => requests.filter((one) => one !== request);
    return next === undefined ? [] : possibleLives(next, others(acknowledged), others(unknown));
  });
  return acknowledged.length === 0 ? [before, ...after] : after;
};

/** Undefined if the request must be refused. */
const carriedOut = (request: Request, life: AffiliateLife): AffiliateLife | undefined => {
  const { kind } = life;
  switch (request.type) {
    case 'create': {
      const { email, name } = request;
      if (kind === 'erased') return undefined;
      return kind === 'none' ? { kind: 'exists', email, name } : life;
    }
    case 'change':
      return kind === 'exists' ? { ...life, ...request.patch } : undefined;
    case 'delete':
      return kind === 'exists' ? { kind: 'deleted' } : undefined;
    case 'erase':
      return kind === 'none' ? undefined : { kind: 'erased' };
  }
};
