import { replaySchema } from './replay.record.js';
import { createReplaySchema, replaysQuerySchema } from './replay.requests.js';
import { listOf, type OperationSpec } from '../shared/operation-spec.js';

export const replayOperations = {
  createReplay: {
    method: 'POST',
    path: '/v1/webhooks/:id/replays',
    id: 'endpoint',
    scope: 'write',
    hasPosition: false,
    summary: 'Replay past events to a webhook endpoint',
    body: createReplaySchema,
    idempotent: true,
    responses: { 202: replaySchema, 200: replaySchema },
    problems: [
      'idempotency_key_reused',
      'invalid_transition',
      'replay_in_progress',
      'read_model_behind',
    ],
  },
  listReplays: {
    method: 'GET',
    path: '/v1/webhooks/:id/replays',
    id: 'endpoint',
    scope: 'read',
    hasPosition: false,
    summary: 'List the replays to a webhook endpoint',
    query: replaysQuerySchema,
    responses: { 200: listOf(replaySchema, 'ReplayList') },
    problems: ['read_model_behind'],
  },
  getReplay: {
    method: 'GET',
    path: '/v1/webhooks/:id/replays/:replay_id',
    id: 'endpoint',
    ids: { replay_id: 'replay' },
    scope: 'read',
    hasPosition: false,
    summary: 'Read a replay',
    responses: { 200: replaySchema },
    problems: ['read_model_behind'],
  },
  stopReplay: {
    method: 'DELETE',
    path: '/v1/webhooks/:id/replays/:replay_id',
    id: 'endpoint',
    ids: { replay_id: 'replay' },
    scope: 'write',
    hasPosition: false,
    summary: 'Stop a replay: it makes no more deliveries',
    responses: { 204: null },
    problems: ['read_model_behind'],
  },
} as const satisfies Record<string, OperationSpec>;
