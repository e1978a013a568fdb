import { CallClock, SandboxClock } from './adapters/clock/sandbox-clock.ts'
import { CannotStart } from './cannot-start.ts'
import type { Clock } from './core/ports/clock.ts'
import type { Store } from './core/ports/store/index.ts'
import { sandboxAhead } from './core/sandbox/sandbox.ts'

/** All clocks are the same one, unless this is a sandbox. */
export interface Time {
  /** What everything goes by that waits: the operator of a sandbox puts it forward. */
  clock: Clock
  /** What calls and all that belongs to them go by: it does not jump while somebody talks. */
  callClock: Clock
  /** What shows the real time: for phones, audio and whatever others compare with their own clocks. */
  wallClock: Clock
  sandboxTime: { clock: SandboxClock; callClock: CallClock } | undefined
}

/** Where the time of a sandbox was put forward, it stays so. */
export const openTime = async (wallClock: Clock, store: Store, isSandbox: boolean): Promise<Time> => {
  const aheadMs = await sandboxAhead(store.read)
  if (!isSandbox && aheadMs > 0)
    throw new CannotStart(
      `This database is a sandbox whose time is ${Math.ceil(aheadMs / 60_000)} minutes ahead. Set OFFHOOK_SANDBOX=on, or use another database.`,
      undefined,
    )
  if (!isSandbox) return { clock: wallClock, callClock: wallClock, wallClock, sandboxTime: undefined }
  const clock = new SandboxClock(wallClock)
  clock.putForward(aheadMs)
  const callClock = new CallClock(wallClock, clock)
  return { clock, callClock, wallClock, sandboxTime: { clock, callClock } }
}
