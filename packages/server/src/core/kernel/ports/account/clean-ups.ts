import type { Clock } from '../clock.ts'
import type { Tables } from '../store/index.ts'

/**
 * What a floor above has to end or erase when something of an account goes. Runs inside the transaction in which it goes: between a commit
 * and a later job something could still be sent.
 */
export interface CleanUps {
  userLeaves(tables: Tables, accountId: string, userId: string): Promise<void>
  /** They may come back, and what they had stays: nothing is sent for them meanwhile. */
  userPauses(tables: Tables, accountId: string, userId: string): Promise<void>
  accountCloses(tables: Tables, accountId: string): Promise<void>
  /** While the line still exists. */
  faxlineGoes(tables: Tables, accountId: string, faxlineId: string): Promise<void>
}

/** What is needed to remove a line, a user or an account. */
export interface RemovalDeps {
  clock: Clock
  cleanUps: CleanUps
}
