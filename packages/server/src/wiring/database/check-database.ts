import type { Clock } from '#core/kernel/ports/clock.ts'
import type { Store, StoreReach } from '#core/kernel/ports/store/index.ts'
import type { Log } from '#log/log-events.ts'
import type { Settings } from '#settings/config.ts'

interface CheckDeps {
  settings: Pick<Settings, 'OFFHOOK_DB_POOL'>
  store: Pick<Store, 'read' | 'reach'>
  wallClock: Clock
  log: Log
}

/** Left to administrators, migrations and others. */
const connectionsOfOthers = 10
/** Dates in the store come from many clocks. */
const maxGapMs = 2_000
const pollIntervalMs = 10 * 60_000
/** A process that has not been heard of for so long has no connections. */
const silentMs = 30_000

/** Says what the operator should know about the database before it does harm, now and from time to time. */
export const checkDatabase = async (deps: CheckDeps): Promise<{ close(): Promise<void> } | undefined> => {
  const { reach } = deps.store
  if (!reach) return undefined
  await checkPool(deps, reach)
  let cancelTimer = (): void => {}
  let closed = false
  let looking: Promise<void>
  const look = async (): Promise<void> => {
    await checkClock(deps, reach).catch(() => {}) // who needs the database complains
    if (!closed) cancelTimer = deps.wallClock.after(pollIntervalMs, () => void (looking = look()))
  }
  await (looking = look())
  return {
    close: async () => {
      closed = true
      cancelTimer()
      await looking
    },
  }
}

const checkPool = async ({ settings, store, wallClock, log }: CheckDeps, { room }: StoreReach): Promise<void> => {
  if (room === undefined) return
  const { OFFHOOK_DB_POOL: pool } = settings
  const processes = (await store.read.nodes.list(wallClock.now() - silentMs)).length
  if (processes * pool > room - connectionsOfOthers) log('database_pool_too_large', { processes, pool, maxConnections: room })
}

const checkClock = async ({ wallClock, log }: CheckDeps, reach: StoreReach): Promise<void> => {
  const asked = wallClock.now()
  const there = await reach.now()
  const gapMs = there - (asked + wallClock.now()) / 2
  if (Math.abs(gapMs) > maxGapMs) log('database_clock_differs', { seconds: Math.round(gapMs / 1000) })
}
