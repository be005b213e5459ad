import { SetMetadata } from '@nestjs/common';
import type { OperationId } from '@refledger/contracts';
import type { Answer, Call } from './call.js';

const operationKey = Symbol('operation');

/**
 * Declares which operation of the contract a controller's method carries out. `registerOperations`
 * makes the route.
 */
export const Operation = <Op extends OperationId>(operation: Op) =>
  SetMetadata<symbol, OperationId>(operationKey, operation) as (
    target: object,
    name: string | symbol,
    method: TypedPropertyDescriptor<(call: Call<Op>) => Promise<Answer>>,
  ) => void;

/** The controllers' methods by operation. */
export type Handlers = ReadonlyMap<OperationId, Handler>;
type Handler = (call: Call<OperationId>) => Promise<Answer>;

/** The methods of controllers by the operation that they carry out. */
export const handlersOf = (controllers: readonly object[]): Handlers => {
  const handlers = new Map<OperationId, Handler>();
  for (const controller of controllers) {
    const methods = Object.getPrototypeOf(controller) as Record<string, Handler>;
    for (const name of Object.getOwnPropertyNames(methods)) {
      const method = methods[name];
      const operation =
        method && (Reflect.getMetadata(operationKey, method) as OperationId | undefined);
      if (method !== undefined && operation !== undefined)
        handlers.set(operation, method.bind(controller));
    }
  }
  return handlers;
};
