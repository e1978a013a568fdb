import type { Ownership } from '#core/kernel/peer-nodes/ownership.ts'
import { takeOverLost } from '#core/kernel/peer-nodes/takers.ts'
import type { PeerNodes, Bus } from '#core/kernel/ports/platform.ts'
import type { CallHold } from '#core/kernel/ports/store/call.ts'
import { handing, HandOver, takesCalls } from '#core/telephone/call/takeover/hand-over.ts'
import { CallTakeover } from '#core/telephone/call/takeover/call-takeover.ts'
import type { Settings } from '#settings/config.ts'
import { shareDialogs } from '../cluster/dialogs.ts'
import type { OpenedLeases, Recovery } from '../leases.ts'
import type { Platform } from '../platform.ts'
import type { Telephone } from '../telephone.ts'

interface RescueWiring {
  settings: Settings
  platform: Platform
  leasing: OpenedLeases
  peerNodes: PeerNodes
  ownership: Ownership | undefined
  telephone: Telephone
  wake: () => void
}

interface OpenedRescue {
  /** Hands over calls of this node to peer nodes, where possible. Resolves when each was offered. */
  handOver(): Promise<void>
  /** Resumes or ends calls of a lost node. */
  recovery: Recovery
  idle(): Promise<void>
  close(): Promise<void>
}

/** Milliseconds without a heartbeat when a node is reported gone. */
const silentMs = 1_000

/** Takes over calls of lost nodes, and drops calls that other nodes have taken over. */
export const openRescue = ({ settings, platform, leasing, peerNodes, ownership, telephone, wake }: RescueWiring): OpenedRescue => {
  const { callClock: clock, log, bus } = platform
  const { callRouter, telephony } = telephone
  const { leases, recovery } = leasing
  if (settings.DATABASE_URL === undefined) return { recovery, handOver: nothing, idle: nothing, close: nothing }
  const closing = new AbortController()
  const takeover = new CallTakeover({
    ...recovery,
    wake,
    leases,
    ownership,
    closing: closing.signal,
    resume: (saved, aliveAt, options) => callRouter.resume(saved, aliveAt, options),
    living: () => (callRouter.draining ? 0 : peerNodes.others().filter(({ draining }) => !draining).length + 1),
    isHeard: (owner) => peerNodes.others().some((peerNode) => peerNode.owner === owner),
    onClaimed: (owner, calls) =>
      bus.notify(
        takenSubject(owner),
        calls.map(({ callId, epoch }) => ({ callId, epoch })),
      ),
    onRescue: (rescued) => log('calls_rescued', rescued),
  })
  if (!platform.bus.alone) shareDialogs({ ...telephone, bus: platform.bus, peerNodes, takeover })
  telephony.hesitate(() => ownership?.pending)
  const handOver = handingOver({ settings, platform, peerNodes, telephone, recovery })
  const stops = [
    takeOverLost({
      peerNodes,
      clock: platform.evenClock,
      self: () => ({ owner: peerNodes.self, draining: callRouter.draining, region: settings.OFFHOOK_REGION }),
      take: (owner, share) => void takeover.ofSilent(owner, { aliveAt: clock.now() - silentMs, share }),
    }),
    bus.hear(takenSubject(leases.owner), (body) => {
      callRouter.lose(body as TakenCall[])
      ownership?.doubt()
    }),
    bus.alone ? () => {} : bus.answer(takesCalls(leases.owner), (body) => takeFrom(takeover, bus, body as CallHold)),
  ]
  return {
    recovery: { ...recovery, takeover: (lease) => takeover.ofLease(lease) },
    handOver,
    idle: () => takeover.idle(),
    async close() {
      for (const stop of stops) stop()
      closing.abort()
      await takeover.idle()
    },
  }
}

/** One hand-over of all calls at a time. */
const handingOver = ({ settings, platform, peerNodes, telephone, recovery }: HandingOver): (() => Promise<void>) => {
  const { bus, log } = platform
  const { callRouter } = telephone
  const hands = new HandOver({
    bus,
    peerNodes,
    region: settings.OFFHOOK_REGION,
    calls: () => callRouter.calls,
    onFailure: recovery.onFailure,
  })
  let running: Promise<void> | undefined
  const handAll = async (): Promise<void> => {
    const calls = callRouter.size
    if (bus.alone || calls === 0) return
    const given = await hands.all()
    log('calls_handed_over', { calls, given })
  }
  return () => (running ??= handAll().finally(() => (running = undefined)))
}

type HandingOver = Pick<RescueWiring, 'settings' | 'platform' | 'peerNodes' | 'telephone'> & Pick<OpenedLeases, 'recovery'>

type TakenCall = Pick<CallHold, 'callId' | 'epoch'>

/** Subject on which a node hears which of its calls another one has claimed. */
const takenSubject = (owner: string): string => `taken.${owner}`

const nothing = (): Promise<void> => Promise.resolve()

/** The previous node stops sending before we start. */
const takeFrom = async (takeover: CallTakeover, bus: Bus, hold: CallHold): Promise<{ taken: boolean }> => ({
  taken: await takeover.ofHolder(hold, async () => void (await bus.ask(handing(hold.callId), {}, { ms: 1_000 }))),
})
