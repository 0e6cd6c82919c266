/**
 * Goes on with a value: at once where it is here already, and else when it comes.
 *
 * A turn of the event loop costs more than the check of a conversation that is
 * below its trigger, where hardly anything has to be waited for.
 */
export function whenReady<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
