import type { PeerNodes } from '#core/kernel/ports/neighbours.ts'
import type { Bus } from '#core/kernel/ports/bus.ts'
import type { CallHold } from '#core/kernel/ports/store/call/running-calls.ts'
import { handing, HandOver, takesCalls } from '#core/telephone/call/takeover/hand-over.ts'
import { CallTakeover } from '#core/telephone/call/takeover/rescue.ts'
import type { Settings } from '#settings/config.ts'
import { shareDialogs } from '../cluster/dialogs.ts'
import type { OpenedLeases, Recovery } from '../leases.ts'
import type { Platform } from '../platform.ts'
import type { Telephone } from '../telephone.ts'

export interface RescueWiring {
  settings: Settings
  platform: Platform
  leasing: OpenedLeases
  neighbours: PeerNodes
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
export const openRescue = ({ settings, platform, leasing, neighbours: peerNodes, telephone, wake }: RescueWiring): OpenedRescue => {
  const { callClock: clock, log, bus } = platform
  const { callRouter, telephony } = telephone
  const { leases, recovery } = leasing
  if (settings.DATABASE_URL === undefined) return { recovery, handOver: nothing, idle: nothing, close: nothing }
  const closing = new AbortController()
  const takeover = new CallTakeover({
    ...recovery,
    wake,
    leases,
    closing: closing.signal,
    resume: (saved, aliveAt, options) => callRouter.resume(saved, aliveAt, options),
    living: () => (callRouter.draining ? 0 : peerNodes.others().filter(({ draining }) => !draining).length + 1),
    onRescue: (rescued) => log('calls_rescued', rescued),
  })
  if (!platform.bus.alone) shareDialogs({ ...telephone, bus: platform.bus, neighbours: peerNodes, rescue: takeover })
  const doubt = new Suspicion(peerNodes, () => callRouter.review())
  telephony.hesitate(() => doubt.pending)
  const hands = new HandOver({ bus, neighbours: peerNodes, calls: () => callRouter.calls, onFailure: recovery.onFailure })
  let handingOver: Promise<void> | undefined
  const handAll = async (): Promise<void> => {
    const calls = callRouter.size
    if (bus.alone || calls === 0) return
    const given = await hands.all()
    log('calls_handed_over', { calls, given })
  }
  const stops = [
    peerNodes.onGone(({ owner, calls }) => void takeover.ofSilent(owner, { aliveAt: clock.now() - silentMs, calls })),
    peerNodes.onStall(() => doubt.begin()),
    bus.alone ? () => {} : bus.answer(takesCalls(leases.owner), (body) => takeFrom(takeover, bus, body as CallHold)),
  ]
  return {
    recovery: { ...recovery, rescue: (lease) => takeover.ofLease(lease) },
    handOver: () => (handingOver ??= handAll().finally(() => (handingOver = undefined))),
    idle: () => takeover.idle(),
    async close() {
      for (const stop of stops) stop()
      closing.abort()
      await takeover.idle()
    },
  }
}

const nothing = (): Promise<void> => Promise.resolve()

/** Who hands it over stops sending before we begin. */
const takeFrom = async (takeover: CallTakeover, bus: Bus, hold: CallHold): Promise<{ taken: boolean }> => ({
  taken: await takeover.ofHolder(hold, async () => void (await bus.ask(handing(hold.callId), {}, { ms: 1_000 }))),
})

/** While a process that stood still asks which calls are its own, it says nothing to phones. */
class Suspicion {
  readonly #peerNodes: PeerNodes
  readonly #review: () => Promise<void>
  #pending: Promise<void> | undefined

  constructor(peerNodes: PeerNodes, review: () => Promise<void>) {
    this.#peerNodes = peerNodes
    this.#review = review
  }

  /** Also when nobody has noticed yet that it stood still. */
  get pending(): Promise<void> | undefined {
    if (!this.#pending && this.#peerNodes.late()) this.begin()
    return this.#pending
  }

  begin(): void {
    this.#pending ??= this.#review().finally(() => (this.#pending = undefined))
  }
}
