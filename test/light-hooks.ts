import { createHook } from 'node:async_hooks'

/**
 * node:test follows every promise with an async hook, to name the test of an error that nothing caught. That costs a fifth of a run's CPU. Without the
 * hook such an error still fails the run, but names no test.
 */
const prototype = Object.getPrototypeOf(createHook({})) as { enable: (this: unknown) => unknown }
const { enable } = prototype
prototype.enable = function () {
  return new Error('caller').stack?.includes('node:internal/test_runner/') === true ? this : enable.call(this)
}
