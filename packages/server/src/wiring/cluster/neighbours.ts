import { localAddresses } from '#adapters/address-rules.ts'
import { healthProbe } from '#adapters/bus/health-probe.ts'
import { Heartbeat } from '#core/kernel/peer-nodes/heartbeat.ts'
import type { Bus, Clock, PeerNode } from '#core/kernel/ports/platform.ts'
import type { Store } from '#core/kernel/ports/store/index.ts'
import { snapshotVersion } from '#core/telephone/call/records/snapshot.ts'
import type { Presence } from '#core/operate/nodes/presence.ts'
import type { Log } from '#log/log-events.ts'
import { addressText, type Address } from '#settings/setting-values.ts'

interface NeighbourDeps {
  bus: Bus
  evenClock: Clock
  log: Log
}

/** This node on the bus, once it is started. */
export const openNeighbours = ({ bus, evenClock: clock, log }: NeighbourDeps, self: string): Heartbeat => {
  const heartbeat = new Heartbeat({
    bus,
    clock,
    self,
    probe: healthProbe,
    onUnreachable: ({ owner, http }) => log('neighbour_unreachable', { node: owner, http }),
  })
  heartbeat.onGone(({ owner, http }) => log('neighbour_gone', { node: owner, http }))
  heartbeat.onStall((ms) => log('node_stood_still', { ms: Math.round(ms) }))
  return heartbeat
}

interface Described {
  presence: Presence
  store: Pick<Store, 'reach'>
  telephone: { callRouter: { readonly size: number } }
}

interface Placed {
  /** Address for its peers. */
  http: string
  region: string | undefined
}

/** Heartbeat content of this node. */
export const describing =
  ({ presence, telephone, store }: Described, placed: Placed) =>
  (): Omit<PeerNode, 'owner'> => ({
    ...presence.described,
    ...placed,
    snapshots: snapshotVersion,
    calls: telephone.callRouter.size,
    storeAway: (store.reach?.awayMs ?? 0) > 0,
  })

/** Address for other machines when the service listens at all addresses. */
export const reachable = (url: string, { host }: Address): string => {
  if (!['0.0.0.0', '::'].includes(host)) return url
  const address = localAddresses().find((one) => !/^(127\.|::1$|fe80)/.test(one)) ?? '127.0.0.1'
  const { protocol, port } = new URL(url)
  return `${protocol}//${addressText({ host: address, port: Number(port) })}`
}
