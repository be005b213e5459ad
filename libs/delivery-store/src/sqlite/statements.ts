import type { Attempt, DeliveryId, EndpointId, Position } from '@refledger/contracts';
import type { Database, Statement } from '@refledger/sqlite';
import type { UnfinishedDelivery } from '../delivery-store.js';
import type { Delivery } from '../delivery.js';
import type { FailingSeries } from '../health-store.js';
import type { AnsweredKey } from '../redelivery-key.js';
import { cancelingStatements } from './statements/canceling.js';
import { claimStatements } from './statements/claims.js';
import { healthStatements } from './statements/health.js';
import { outcomeStatements } from './statements/outcomes.js';
import { planningStatements } from './statements/planning.js';
import { rateStatements } from './statements/rates.js';
import { readingStatements } from './statements/reading.js';
import { recoveryStatements } from './statements/recovery.js';
import { removalStatements } from './statements/removal.js';
import { requestStatements } from './statements/requests.js';

/** The statements on deliveries, by name. */
export const statementsOf = {
  ...planningStatements,
  ...claimStatements,
  ...outcomeStatements,
  ...cancelingStatements,
  ...recoveryStatements,
  ...removalStatements,
  ...rateStatements,
  ...healthStatements,
  ...requestStatements,
  ...readingStatements,
} as const;

/** The rows of the statements that return any. */
interface Rows {
  readonly waiting: DeliveryRow;
  readonly tests: DeliveryRow;
  readonly endpointsDue: { readonly id: EndpointId };
  readonly endpointsUnfinished: { readonly id: EndpointId };
  readonly held: DeliveryRow;
  readonly replaying: DeliveryRow;
  readonly endpointsHeld: { readonly id: EndpointId };
  readonly nextDueAt: { readonly at: string | null };
  readonly lost: LostRow & Pick<DeliveryRow, 'id'> & { readonly holder: string };
  readonly leftBy: LostRow;
  readonly release: EndpointRow;
  readonly recordOutcomes: EndpointRow & Pick<DeliveryRow, 'replayId'>;
  readonly unfinished: UnfinishedDelivery;
  readonly sweepOlder: EndpointRow;
  readonly sweepEndpoint: EndpointRow;
  readonly sweepAccount: EndpointRow;
  readonly cancelLateTests: EndpointRow;
  readonly cancelDue: EndpointRow;
  readonly cancelStarted: EndpointRow;
  readonly makeDue: EndpointRow;
  readonly requested: { readonly id: EndpointId };
  readonly unfinishedOne: { readonly found: 1 };
  readonly answeredKey: AnsweredKey;
  readonly answeredKeys: AnsweredKey;
  readonly recovery: { readonly id: DeliveryId };
  readonly get: DeliveryRow;
  readonly list: DeliveryRow;
  readonly series: FailingSeries;
  readonly endpointsInSeries: { readonly id: EndpointId };
  readonly succeededSince: { readonly found: 1 };
  readonly rate: { readonly fullAt: number };
  readonly ended: EndedRow;
  readonly swept: SweptRow;
  readonly heldThrough: { readonly id: EndpointId; readonly through: Position };
  readonly statuses: Pick<DeliveryRow, 'id' | 'status'>;
}

type Name = keyof typeof statementsOf;
export type Statements = {
  readonly [Each in Name]: Statement<Each extends keyof Rows ? Rows[Each] : never>;
};

// the cast holds because the names stay the same
/** Prepares all statements of the store on a connection. */
export const prepareStatements = (db: Database): Statements =>
  Object.fromEntries(
    Object.entries(statementsOf).map(([name, sql]) => [name, db.prepare(sql)]),
  ) as Statements;

/** A row of `deliveries` joined with its body. Only this store writes such rows. */
export interface DeliveryRow extends Omit<Delivery, 'attempts' | 'body'> {
  readonly seq: number;
  readonly attempts: string;
  readonly body: Uint8Array | null;
}

export type EndpointRow = Pick<DeliveryRow, 'endpointId'>;
export type EndedRow = Pick<DeliveryRow, 'seq' | 'endpointId' | 'status'>;
type SweptRow = EndedRow & Pick<DeliveryRow, 'trigger' | 'position'>;
export type LostRow = Pick<DeliveryRow, 'seq' | 'endpointId' | 'trigger' | 'attempts'>;

export const toDelivery = ({ seq: _, attempts, body, ...row }: DeliveryRow): Delivery => ({
  ...row,
  attempts: toAttempts(attempts),
  body: body === null ? null : Buffer.from(body).toString('utf8'),
});

export const toAttempts = (json: string): readonly Attempt[] =>
  JSON.parse(json) as readonly Attempt[];
