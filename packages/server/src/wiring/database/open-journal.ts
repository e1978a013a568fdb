import { hostname } from 'node:os'
import { join } from 'node:path'
import { realClock } from '#adapters/clock/clocks.ts'
import { openJournalFile } from '#adapters/journal/journal-file.ts'
import { endedSession, writeSession, type FinishedSession } from '#core/assistant/session/write-end.ts'
import type { Clock, Vault } from '#core/kernel/ports/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { WaitingWrites } from '#core/kernel/work/waiting-writes.ts'
import { raisedReservation, writeRaisedReservation } from '#core/money/credit-while-away.ts'
import { endedCall, writeJournaledEnd } from '#core/telephone/call/records/settle-call.ts'
import type { Log } from '#log/log-events.ts'
import { blame } from '#settings/cannot-start.ts'
import type { Settings } from '#settings/config.ts'
import type { Open } from '../closing.ts'
import { dataFolder } from './open-store.ts'
import { runningCall, writeStoredRunning } from '#core/telephone/call/records/running-call-record.ts'

interface JournalDeps {
  store: Store
  vault: Vault
  log: Log
}

/** Journal of calls that end while the database is unavailable. Nodes may share a data folder, but not a file in it. */
export const openJournal = async (
  settings: Settings,
  { store, vault, log }: JournalDeps,
  open: Open,
): Promise<WaitingWrites | undefined> => {
  if (!store.reach) return undefined
  const { host, port } = settings.OFFHOOK_SIP
  const name = `${hostname()}-${host}-${port}`.replaceAll(/[^\w.-]/g, '_')
  const file = await openJournalFile(join(settings.OFFHOOK_DATA, `waiting-${name}.journal`)).catch(blame(dataFolder(settings)))
  const onFailure = (error: unknown, id: string): void => log('journal_failed', { err: error, id })
  return open(new WaitingWrites({ store, clock: realClock(), file, vault, onFailure }))
}

/** `self`: id of this run of the process. */
export const teachJournal = (journal: WaitingWrites | undefined, clock: Clock, self: string): void => {
  journal?.writes(raisedReservation, writeRaisedReservation(clock, self))
  journal?.writes(endedCall, writeJournaledEnd(clock))
  journal?.writes(runningCall, writeStoredRunning(self))
  journal?.writes(endedSession, (tables, session) => writeSession(tables, session as FinishedSession))
}
