/** The kinds of public events. Webhooks and the event bus carry these kinds and no others. */
export const eventKinds = [
  'affiliate.created',
  'affiliate.updated',
  'affiliate.approved',
  'affiliate.rejected',
  'affiliate.suspended',
  'affiliate.deleted',
  'conversion.created',
  'conversion.updated',
  'conversion.approved',
  'conversion.rejected',
  'conversion.refunded',
  'payout.created',
  'payout.completed',
  'payout.failed',
] as const;
export type EventKind = (typeof eventKinds)[number];

const known: ReadonlySet<string> = new Set(eventKinds);
/** Whether an event type is public. */
export const isEventKind = (type: string): type is EventKind => known.has(type);
