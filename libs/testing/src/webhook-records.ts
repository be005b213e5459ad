export interface Delivery {
  readonly id: string;
  readonly object: 'delivery';
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly type: string;
  readonly object_id: string;
  readonly position: string;
  readonly status: 'waiting' | 'sending' | 'succeeded' | 'failed' | 'canceled';
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

export interface Endpoint {
  readonly id: string;
  readonly object: 'webhook_endpoint';
  readonly target_url: string;
  readonly events: readonly string[];
  readonly description: string | null;
  readonly status: 'enabled' | 'disabled';
  readonly payload: 'full' | 'thin';
  readonly max_per_second: number | null;
  readonly secret_rotation: { readonly signs_until: string } | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly secret?: string;
}
