import { inspect } from 'node:util'
import { CommanderError } from 'commander'
import { readableStack } from '#log/stack.ts'
import { Mistake } from './mistake.ts'

/** The end of a command that has failed. */
export const fail = (error: unknown): void => {
  // It has been printed already; help and the version come this way, too, with 0.
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2)
  console.error('offhook:', error instanceof Mistake ? error.message : readableStack(inspect(error)))
  process.exit(error instanceof Mistake ? error.exitCode : 1)
}
