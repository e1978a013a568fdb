import type { Heartbeat } from '#core/kernel/peer-nodes/heartbeat.ts'
import { Ownership } from '#core/kernel/peer-nodes/ownership.ts'
import type { Clock, Contact } from '#core/kernel/ports/platform.ts'
import type { CallHold } from '#core/kernel/ports/store/call.ts'
import type { SipTelephony } from '#adapters/telephony/sip-telephony.ts'
import type { Settings } from '#settings/config.ts'
import type { Open } from './closing.ts'
import { openLeases, type OpenedLeases } from './leases.ts'
import type { Platform } from './platform.ts'
import type { Telephone } from './telephone.ts'
import { openNeighbours } from './cluster/neighbours.ts'

interface OwningDeps {
  settings: Settings
  platform: Platform
  open: Open
  /** Both are available once everything is open. */
  telephone: () => Telephone
  telephony: () => SipTelephony
  /** Media threads do not follow a replaced clock. */
  replaced: { clock?: Clock }
}

/** Decides which calls belong to this node. */
interface Owning {
  leasing: OpenedLeases
  /** This node on the bus. */
  peerNodes: Heartbeat
  /** Undefined on a database of a single process. */
  ownership: Ownership | undefined
  /** Undefined while this node may send; otherwise it settles when it may. */
  silence: () => Promise<void> | undefined
}

export const openOwning = (deps: OwningDeps): Owning => {
  const { settings, platform, open, telephony } = deps
  const doubtMs = (): number => ownership?.doubtMs ?? 0
  const leasing = openLeases({ settings, platform, doubtMs, sayBye: (dialog) => telephony().sayBye(dialog) })
  const peerNodes = open(openNeighbours(platform, leasing.leases.owner))
  const ownership = platform.store.reach && open(openOwnership(deps, leasing, peerNodes.contact))
  return { leasing, peerNodes, ownership, silence: () => ownership?.pending }
}

const openOwnership = (
  { platform: { evenClock: clock, log }, telephone, telephony, replaced }: OwningDeps,
  { leases }: OpenedLeases,
  contact: Contact,
): Ownership =>
  new Ownership({
    contact,
    clock,
    leaseEndsAt: () => leases.endsAt,
    permit: (ms) => replaced.clock === undefined && telephony().permit(ms),
    async prove() {
      const held = await leases.prove()
      if (held) await dropLost(telephone(), held)
    },
    unmark: async () => void (leases.size > 0 && (await leases.renew())),
    onSilent: (why) => log('node_silent', { why }),
    onAudible: (ms) => log('node_audible', { ms: Math.round(ms) }),
  })

/** Resolves when the media threads have dropped the streams of lost calls: the first answer comes after the commands were sent. */
const dropLost = async (telephone: Telephone, held: readonly CallHold[]): Promise<void> => {
  if ((await telephone.callRouter.review(held)) === 0) return
  await telephone.answers()
  await telephone.answers()
}
