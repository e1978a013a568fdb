import type { Neighbours } from '#core/kernel/ports/neighbours.ts'
import type { Bus } from '#core/kernel/ports/bus.ts'
import type { CallHold } from '#core/kernel/ports/store/call/running-calls.ts'
import { handing, HandOver, takesCalls } from '#core/telephone/call/recover/hand-over.ts'
import { Rescue } from '#core/telephone/call/recover/rescue.ts'
import type { Settings } from '#settings/config.ts'
import { shareDialogs } from '../cluster/dialogs.ts'
import type { OpenedLeases, Recovery } from '../leases.ts'
import type { Platform } from '../platform.ts'
import type { Telephone } from '../telephone.ts'

export interface RescueWiring {
  settings: Settings
  platform: Platform
  leasing: OpenedLeases
  neighbours: Neighbours
  telephone: Telephone
  wake: () => void
}

export interface OpenedRescue {
  /** Calls of this process go to others, where that is possible. Resolves when each was offered. */
  handOver(): Promise<void>
  /** How calls of a process that is gone go on or are ended. */
  recovery: Recovery
  idle(): Promise<void>
  close(): Promise<void>
}

/** For how long a process was not heard of that is said to be gone. */
const silentMs = 1_000

/** Calls of processes that are gone go on here, and calls that others went on with are dropped. */
export const openRescue = ({ settings, platform, leasing, neighbours, telephone, wake }: RescueWiring): OpenedRescue => {
  const { callClock: clock, log, bus } = platform
  const { switchboard, telephony } = telephone
  const { leases, recovery } = leasing
  if (settings.DATABASE_URL === undefined) return { recovery, handOver: nothing, idle: nothing, close: nothing }
  const closing = new AbortController()
  const rescue = new Rescue({
    ...recovery,
    wake,
    leases,
    closing: closing.signal,
    goOn: (saved, aliveAt, options) => switchboard.goOn(saved, aliveAt, options),
    living: () => (switchboard.draining ? 0 : neighbours.others().filter(({ draining }) => !draining).length + 1),
    onRescue: (rescued) => log('calls_rescued', rescued),
  })
  if (!platform.bus.alone) shareDialogs({ ...telephone, bus: platform.bus, neighbours, rescue })
  const doubt = new Doubt(neighbours, () => switchboard.review())
  telephony.hesitate(() => doubt.pending)
  const hands = new HandOver({ bus, neighbours, calls: () => switchboard.calls, onFailure: recovery.onFailure })
  let handingOver: Promise<void> | undefined
  const handAll = async (): Promise<void> => {
    const calls = switchboard.size
    if (bus.alone || calls === 0) return
    const given = await hands.all()
    log('calls_handed_over', { calls, given })
  }
  const stops = [
    neighbours.onGone(({ owner, calls }) => void rescue.ofSilent(owner, { aliveAt: clock.now() - silentMs, calls })),
    neighbours.onStall(() => doubt.begin()),
    bus.alone ? () => {} : bus.answer(takesCalls(leases.owner), (body) => takeFrom(rescue, bus, body as CallHold)),
  ]
  return {
    recovery: { ...recovery, rescue: (lease) => rescue.ofLease(lease) },
    handOver: () => (handingOver ??= handAll().finally(() => (handingOver = undefined))),
    idle: () => rescue.idle(),
    async close() {
      for (const stop of stops) stop()
      closing.abort()
      await rescue.idle()
    },
  }
}

const nothing = (): Promise<void> => Promise.resolve()

/** Who hands it over stops sending before we begin. */
const takeFrom = async (rescue: Rescue, bus: Bus, hold: CallHold): Promise<{ taken: boolean }> => ({
  taken: await rescue.ofHolder(hold, async () => void (await bus.ask(handing(hold.callId), {}, { ms: 1_000 }))),
})

/** While a process that stood still asks which calls are its own, it says nothing to phones. */
class Doubt {
  readonly #neighbours: Neighbours
  readonly #review: () => Promise<void>
  #pending: Promise<void> | undefined

  constructor(neighbours: Neighbours, review: () => Promise<void>) {
    this.#neighbours = neighbours
    this.#review = review
  }

  /** Also when nobody has noticed yet that it stood still. */
  get pending(): Promise<void> | undefined {
    if (!this.#pending && this.#neighbours.late()) this.begin()
    return this.#pending
  }

  begin(): void {
    this.#pending ??= this.#review().finally(() => (this.#pending = undefined))
  }
}
