import { CommandHandler } from '@refledger/event-log';
import { carryOut, type OperatorCommand } from '@refledger/platform';
import type { OperatorEngines } from './engines/engines.js';

/** Notes an operator's decision in the log: through the service when one runs, else alone. Answers whether it was new, and which of the two it was. */
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
