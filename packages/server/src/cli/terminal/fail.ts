import { inspect } from 'node:util'
import { CommanderError } from 'commander'
import { readableStack } from '#log/log.ts'
import { Mistake } from './mistake.ts'

/** Ends a failed command. */
export const fail = (error: unknown): void => {
  // Already printed; help and the version come this way, too, with 0.
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2)
  console.error('offhook:', error instanceof Mistake ? error.message : readableStack(inspect(error)))
  process.exit(error instanceof Mistake ? error.exitCode : 1)
}
