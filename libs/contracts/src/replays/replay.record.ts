import { z } from 'zod';
import { publicEventTypes } from '../event-types/public-event-types.js';
import { idSchema } from '../ids/ids.js';
import { positionPattern } from '../ids/position.js';
import { instantSchema } from '../time.js';
import { countOf, objectOf, ownIdOf } from '../shared/record-fields.js';

export const replayScopes = ['missing', 'failed', 'all'] as const;
/** Which events of its range a replay sends again. */
export type ReplayScope = (typeof replayScopes)[number];
export const scopesText =
  '`missing`: events without a delivery to this endpoint that has succeeded or is unfinished. `failed`: of these, events with a delivery that has failed. `all`: all events.';

const replayStatuses = ['running', 'finished', 'stopped'] as const;
/** `finished`: all events have been read; deliveries may still be waiting. */
export type ReplayStatus = (typeof replayStatuses)[number];

const positionText = z.string().regex(new RegExp(positionPattern));

/** A replay of events to an endpoint. */
export const replaySchema = z
  .strictObject({
    id: ownIdOf('replay'),
    object: objectOf('replay'),
    endpoint_id: idSchema('endpoint').describe('The endpoint that gets the events.'),
    since: positionText.describe('Events after this position; `0` is the start of the log.'),
    until: positionText.describe('Events up to this position.'),
    types: z
      .array(z.enum(publicEventTypes))
      .nullable()
      .describe('Only events of these types. null: all types to which the endpoint subscribes.'),
    only: z.enum(replayScopes).describe(scopesText),
    status: z
      .enum(replayStatuses)
      .describe('`finished`: all events have been read; deliveries may still be waiting.'),
    planned: countOf('How many deliveries it has made.'),
    succeeded: countOf('How many of them have succeeded; up to a second behind.'),
    failed: countOf('How many of them have failed; up to a second behind.'),
    at_position: positionText.describe('All events up to this position have been read.'),
    created_at: instantSchema.describe('When it was requested.'),
    finished_at: instantSchema
      .nullable()
      .describe('When it was finished or stopped; null while it is running.'),
  })
  .meta({
    id: 'Replay',
    example: {
      id: `rpl_${'0'.repeat(25)}1`,
      object: 'replay',
      endpoint_id: `whk_${'0'.repeat(25)}1`,
      since: '1200',
      until: '4711',
      types: null,
      only: 'missing',
      status: 'running',
      planned: 120,
      succeeded: 98,
      failed: 0,
      at_position: '2048',
      created_at: '2026-01-31T09:30:00.010Z',
      finished_at: null,
    },
  });
export type ReplayRecord = z.infer<typeof replaySchema>;
