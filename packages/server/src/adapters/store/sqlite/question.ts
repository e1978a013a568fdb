import type { SQLInputValue } from 'node:sqlite'

/** A statement for another connection than the event loop's. */
export interface Question {
  sql: string
  parameters: readonly SQLInputValue[]
}

/** Runs queries over many rows in other threads, so that calls do not wait. */
export interface AsideReader {
  ask(accountId: string, question: Question): Promise<object[]>
}
