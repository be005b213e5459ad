import type { INestApplicationContext } from '@nestjs/common';
import { ModulesContainer, Reflector } from '@nestjs/core';
import type { OperationId } from '@refledger/contracts';
import type { ApiResponse, Call } from './request/call.js';

const operationOf = Reflector.createDecorator<OperationId>();

/**
 * Declares which operation of the contract a controller's method carries out. `registerOperations`
 * makes the route.
 */
export const Operation =
  <Op extends OperationId>(operation: Op) =>
  (
    target: object,
    name: string | symbol,
    method: TypedPropertyDescriptor<(call: Call<Op>) => Promise<ApiResponse>>,
  ): void => {
    operationOf(operation)(target, name, method);
  };

/** The controllers' methods by operation. */
export type Handlers = ReadonlyMap<OperationId, Handler>;
type Handler = (call: Call<OperationId>) => Promise<ApiResponse>;

/** The methods of all modules' controllers by the operation that they carry out. */
export const handlersOf = (app: INestApplicationContext): Handlers => {
  const reflector = new Reflector();
  const handlers = new Map<OperationId, Handler>();
  for (const controller of controllersOf(app)) {
    const methods = Object.getPrototypeOf(controller) as Record<string, Handler>;
    for (const name of Object.getOwnPropertyNames(methods)) {
      const method = methods[name];
      if (method === undefined) continue;
      const operation: OperationId | undefined = reflector.get(operationOf, method);
      if (operation !== undefined) handlers.set(operation, method.bind(controller));
    }
  }
  return handlers;
};

const controllersOf = (app: INestApplicationContext): object[] =>
  [...app.get(ModulesContainer).values()].flatMap(({ controllers }) =>
    [...controllers.values()].map(({ instance }) => instance),
  );
