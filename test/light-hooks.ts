import { createHook } from 'node:async_hooks'

/**
 * node:test follows every promise with an async hook, to name the test of an error that nothing caught. That costs a fifth of a run's CPU. Its hook
 * follows timers, sockets and suites as before, but no promises: such an error still fails the run, but may name no test.
 */
const withoutPromises = createHook({ trackPromises: false })
const mark = Object.getOwnPropertySymbols(withoutPromises).find(({ description }) => description === 'kNoPromiseHook')
const prototype = Object.getPrototypeOf(withoutPromises) as { enable: (this: object) => unknown }
const { enable } = prototype
prototype.enable = function () {
  const caller = new Error('caller').stack?.split('\n')[2] ?? ''
  if (mark && caller.includes('node:internal/test_runner/')) Object.assign(this, { [mark]: true })
  return enable.call(this)
}
