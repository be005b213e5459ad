import { CommandHandler } from '@refledger/application';
import { pendingStop } from '@refledger/domain';
import { readDecisions } from '@refledger/event-log';
import { carryOut, type ProcessorDecision } from '@refledger/operator';
import { dispatcherName, findStop } from '@refledger/webhook-endpoints';
import type { OperatorEngines, OwnEngines } from './engines/engines.js';
import { UsageError } from './exit-codes.js';
import { withOpen } from './with-open.js';

/** Whether a decision was new, and whether a service recorded it. */
interface DecisionResult {
  readonly isNew: boolean;
  readonly served: boolean;
}

/**
 * Records an operator's decision in the log: through the running service, or directly when none is
 * running.
 */
export const decide = async (
  engines: OperatorEngines,
  command: ProcessorDecision,
): Promise<DecisionResult> => {
  const response = await engines.send(command);
  if (response !== undefined) return { isNew: response, served: true };
  return {
    isNew: await engines.alone(({ log }) => carryOut(new CommandHandler(log), command)),
    served: false,
  };
};

type Resume = Extract<ProcessorDecision, { type: 'resume' }>;

/**
 * Records a decision on where a processor resumes, together with the stop that it is about. A
 * running service has recorded its stop; otherwise the directory shows whether there would be one.
 * Throws `UsageError` if there is nothing to decide.
 */
export const decideAboutStop = async (
  engines: OperatorEngines,
  command: Resume,
): Promise<DecisionResult> => {
  if (!engines.isServiceRunning())
    return { isNew: await engines.alone((own) => decideInDirectory(own, command)), served: false };
  const stop = await withOpen(engines.openLog(), async (log) =>
    pendingStop((await readDecisions(log, command.processor)).state),
  );
  if (stop === undefined) throw nothingToDecide(command);
  return decide(engines, { ...command, stop });
};

const decideInDirectory = async (own: OwnEngines, command: Resume): Promise<boolean> => {
  const { log } = own;
  const { processor } = command;
  // there is no relay beside a directory
  if (processor !== dispatcherName) throw nothingToDecide(command);
  const store = await own.openDeliveries();
  const stop = await findStop(log, store).finally(() => store?.close());
  if (stop === undefined) throw nothingToDecide(command);
  const commands = new CommandHandler(log);
  await carryOut(commands, { type: 'stop', processor, stop });
  return carryOut(commands, { ...command, stop });
};

const nothingToDecide = ({ processor }: Resume): UsageError =>
  new UsageError(
    `${processor} does not wait for a decision, so there is nothing to decide. Run this command when its log or /health/ready asks where it continues.`,
  );
