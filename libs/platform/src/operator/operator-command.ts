import { streams } from '@refledger/contracts';
import { followerDecider, type FollowerCommand } from '@refledger/domain';
import { newContext, type CommandRunner } from '@refledger/event-log';
import { z } from 'zod';

/** What an operator can ask of a running service. */
export const operatorCommandSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('skip'),
    follower: z.string().max(100),
    event_id: z.string().max(100),
    position: z.string().regex(/^\d{1,20}$/),
  }),
  z.strictObject({
    type: z.literal('resume'),
    follower: z.string().max(100),
    from: z.string().max(20),
  }),
  z.strictObject({
    type: z.literal('request_rebuild'),
    follower: z.string().max(100),
    view: z.string().max(100),
  }),
]);
export type OperatorCommand = Exclude<FollowerCommand, { type: 'open' }>;

/** Notes the command in the log, where the follower finds it. Answers whether it was new. Throws `DomainError`. */
export const carryOut = async (
  commands: CommandRunner,
  command: OperatorCommand,
): Promise<boolean> => {
  const context = newContext({
    accountId: null,
    actor: 'operator',
    requestId: `ops ${command.type}`,
  });
  const { events } = await commands.run({
    stream: streams.follower(command.follower),
    decider: followerDecider,
    command,
    context,
  });
  return events.length > 0;
};
