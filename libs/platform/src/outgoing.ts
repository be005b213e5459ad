import type { Config } from './config/config.js';

/** Why a service with these settings sends nothing; undefined if its settings let it send. */
export const outgoingOff = ({ outgoing }: Pick<Config, 'outgoing'>): string | undefined =>
  outgoing === 'off' ? 'OUTGOING is off. To send, start the service without it' : undefined;

/** How logs, health checks and problems say that nothing is sent. */
export const sendsNothing = (reason: string): string => `sends nothing: ${reason}`;
