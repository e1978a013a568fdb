import { CallClock } from '#adapters/clock/call-clock.ts'
import { SandboxClock } from '#adapters/clock/sandbox-clock.ts'
import { CannotStart } from '#settings/cannot-start.ts'
import { evenly, type Clock } from '#core/kernel/ports/clock.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { sandboxAhead } from '#core/operate/sandbox/sandbox.ts'

/** All clocks show the same, unless this is a sandbox or the clock of the machine is set. */
export interface Clocks {
  /** For everything that is due at a time; the operator of a sandbox puts it forward. */
  clock: Clock
  /** For calls and all that belongs to them: it does not jump during a call. */
  callClock: CallClock
  /** The real time: for phones, audio and whatever peers compare with their own clocks. */
  wallClock: Clock
  /** Begins with the real time and is never set: for what is only measured, such as rates and bans. */
  evenClock: Clock
  sandboxTime: { clock: SandboxClock; callClock: CallClock } | undefined
}

/** A sandbox that was put forward stays ahead after a restart. */
export const openClocks = async (wallClock: Clock, store: Store, isSandbox: boolean): Promise<Clocks> => {
  const aheadMs = await sandboxAhead(store.read)
  if (!isSandbox && aheadMs > 0)
    throw new CannotStart(
      `This database is a sandbox whose time is ${Math.ceil(aheadMs / 60_000)} minutes ahead. Set OFFHOOK_SANDBOX=on, or use another database.`,
      undefined,
    )
  const evenClock = evenly(wallClock)
  if (!isSandbox) return { clock: wallClock, callClock: new CallClock(wallClock), wallClock, evenClock, sandboxTime: undefined }
  const clock = new SandboxClock(wallClock)
  clock.putForward(aheadMs)
  const callClock = new CallClock(wallClock, clock)
  return { clock, callClock, wallClock, evenClock, sandboxTime: { clock, callClock } }
}
