import { CommandHandler } from '@refledger/application';
import { carryOut, type OperatorCommand } from '@refledger/operator';
import type { OperatorEngines } from './engines/engines.js';

/**
 * Records an operator's decision in the log: through the running service, or directly when none is
 * running. Returns whether the decision was new, and whether a service recorded it.
 */
export const decide = async (
  engines: OperatorEngines,
  command: OperatorCommand,
): Promise<{ readonly isNew: boolean; readonly served: boolean }> => {
  const response = await engines.send(command);
  if (response !== undefined) return { isNew: response, served: true };
  return {
    isNew: await engines.alone(({ log }) => carryOut(new CommandHandler(log), command)),
    served: false,
  };
};
