export interface Delivery {
  readonly id: string;
  readonly object: 'delivery';
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly type: string;
  readonly object_id: string;
  readonly position: string;
  readonly status: 'waiting' | 'held' | 'sending' | 'succeeded' | 'failed' | 'canceled';
  readonly trigger: 'event' | 'redeliver' | 'replay' | 'test';
  readonly replay_id: string | null;
  readonly attempt_count: number;
  readonly next_attempt_at: string | null;
  readonly reason: string | null;
  readonly created_at: string;
  readonly finished_at: string | null;
  readonly recovered_by: string | null;
}
export interface DeliveryWithAttempts extends Delivery {
  readonly body: string | null;
  readonly attempts: readonly DeliveryAttempt[];
}
interface DeliveryAttempt {
  readonly number: number;
  readonly started_at: string;
  readonly duration_ms: number | null;
  readonly outcome: string | null;
  readonly status_code: number | null;
  readonly error: string | null;
  readonly address: string | null;
  readonly response_headers: Readonly<Record<string, string>> | null;
  readonly response_body: string | null;
  readonly response_truncated: boolean;
  readonly retry_after: number | null;
}

export interface Replay {
  readonly id: string;
  readonly object: 'replay';
  readonly endpoint_id: string;
  readonly since: string;
  readonly until: string;
  readonly types: readonly string[] | null;
  readonly only: 'missing' | 'failed' | 'all';
  readonly status: 'running' | 'finished' | 'stopped';
  readonly planned: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly at_position: string;
  readonly created_at: string;
  readonly finished_at: string | null;
}

export interface Endpoint {
  readonly id: string;
  readonly object: 'webhook_endpoint';
  readonly target_url: string;
  readonly events: readonly string[];
  readonly description: string | null;
  readonly status: 'enabled' | 'paused' | 'disabled';
  readonly disabled: { readonly reason: 'gone' | 'failing'; readonly at: string } | null;
  readonly health: 'ok' | 'failing';
  readonly failing_since: string | null;
  readonly payload: 'full' | 'thin';
  readonly max_per_second: number | null;
  readonly secret_rotation: { readonly signs_until: string } | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly waiting?: number | null;
  readonly held?: number | null;
  readonly secret?: string;
}

export interface WebhookStats extends StatsCounts {
  readonly object: 'webhook_stats';
  readonly endpoint_id: string;
  readonly period: string;
  readonly since: string;
  readonly until: string;
  readonly attempt_duration_ms: Percentiles;
  readonly time_to_success_ms: Percentiles;
  readonly oldest_waiting: Pick<Delivery, 'id' | 'status' | 'created_at'> | null;
  readonly series: readonly (StatsCounts & {
    readonly starts_at: string;
    readonly attempt_duration_p95_ms: number | null;
    readonly time_to_success_p95_ms: number | null;
  })[];
}
interface StatsCounts {
  readonly deliveries: Readonly<Record<'succeeded' | 'failed' | 'canceled', number>> & SuccessRate;
  readonly attempts: Readonly<Record<string, number | null>> & SuccessRate;
}
interface SuccessRate {
  readonly success_rate: number | null;
}
type Percentiles = Readonly<Record<'p50' | 'p95' | 'p99', number | null>>;
