import { Sandbox } from '#core/operate/sandbox/sandbox.ts'
import { simWarehouse } from '#core/operate/sandbox/sim-warehouse.ts'
import type { RecurringWork } from '#core/kernel/work/recurring.ts'
import type { Platform } from './platform.ts'
import type { Workers } from './workers.ts'

interface SandboxNeeds {
  workers: Pick<Workers, 'look' | 'idle' | 'nextWaiting'>
  talks: () => boolean
  leases: { owner: string }
}

/** What people would do outside of a sandbox, such as sending SIM cards, happens there by itself. */
export const sandboxWork = (platform: Platform): RecurringWork[] => (platform.sandboxTime ? [simWarehouse(platform)] : [])

/** Undefined unless this installation is one. */
export const openSandbox = (
  { sandboxTime, store, wallClock, log }: Platform,
  { workers, talks, leases }: SandboxNeeds,
): Sandbox | undefined => {
  if (!sandboxTime) return undefined
  const { clock, callClock } = sandboxTime
  const sandbox = new Sandbox({
    store,
    clock,
    wallClock,
    waiting: { ...workers, wake: () => workers.look() },
    callClock,
    talks,
    owner: leases.owner,
    onError: (error) => log('sandbox_clock_failed', { err: error }),
  })
  log('sandbox_active', { aheadSeconds: clock.aheadMs / 1000 })
  sandbox.start()
  return sandbox
}
