import { CommandHandler } from '@refledger/event-log';
import { carryOut, type OperatorCommand } from '@refledger/platform';
import type { OperatorEngines } from './engines/engines.js';

/**
 * Records an operator's decision in the log: through the running service, or directly when none
 * runs. Returns whether the decision was new, and whether a service recorded it.
 */
export const decide = async (
  engines: OperatorEngines,
  command: OperatorCommand,
): Promise<{ readonly isNew: boolean; readonly served: boolean }> => {
  const answer = await engines.ask(command);
  if (answer !== undefined) return { isNew: answer, served: true };
  return {
    isNew: await engines.alone(({ log }) => carryOut(new CommandHandler(log), command)),
    served: false,
  };
};
