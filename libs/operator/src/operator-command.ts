import { processorStopSchema, streams, toPosition, type Position } from '@refledger/contracts';
import { postingName, processorDecider, type ProcessorCommand } from '@refledger/domain';
import { newContext, type CommandHandler } from '@refledger/application';
import { z } from 'zod';
import { erasureCommandSchemas, type ErasureCommand } from './erasure-command.js';

const position = z.custom<Position>(
  (value) => typeof value === 'string' && toPosition(value) !== undefined,
);

/** The commands that an operator can send to a running service. */
export const operatorCommandSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('skip'),
    processor: z.string().max(100),
    event_id: z.string().max(100),
    position,
  }),
  z.strictObject({
    type: z.literal('resume'),
    processor: z.string().max(100),
    from: z.string().max(20),
    stop: processorStopSchema.optional(),
    lifts: z
      .strictObject({
        event_id: z.string().max(100),
        stream: z.string().max(1_000),
        revision: z.int().min(0),
      })
      .optional(),
  }),
  z.strictObject({
    type: z.literal('request_rebuild'),
    processor: z.string().max(100),
    projection: z.string().max(100),
  }),
  z.strictObject({
    type: z.literal('ignore_time'),
    processor: z.literal(postingName),
    event_id: z.string().max(100),
    position,
    stream: z.string().max(1_000),
    revision: z.int().min(0),
    recorded_at: z.iso.datetime(),
  }),
  z.strictObject({ type: z.literal('restored') }),
  ...erasureCommandSchemas,
]);

/** A decision about an event processor. */
export type ProcessorDecision = Exclude<ProcessorCommand, { type: 'open' | 'stop' }>;

/** `restored`: the data directory, a backup, has taken the original's place. */
export type OperatorCommand = ProcessorDecision | ErasureCommand | { readonly type: 'restored' };

/**
 * Appends the command to the log, where the processor finds it. Resolves to whether it was new.
 * Throws `DomainError`.
 */
export const carryOut = async (
  commands: CommandHandler,
  command: Exclude<ProcessorCommand, { type: 'open' }>,
): Promise<boolean> => {
  const context = newContext({
    accountId: null,
    actor: 'operator',
    requestId: `ops ${command.type}`,
  });
  const { events } = await commands.run({
    stream: streams.processor(command.processor),
    decider: processorDecider,
    command,
    context,
  });
  return events.length > 0;
};
