import type { Trunk } from '#core/kernel/ports/store/operate/trunks.ts'
import type { ClusterNode } from '#core/kernel/ports/store/operate/nodes.ts'
import { stateOf } from './node-state.ts'

/** The file of carriers of the edge. `hostsOf`: where a trunk's host is, which counts when it has no list of addresses. */
export const carriersFile = (trunks: readonly Trunk[], hostsOf: (trunkId: string) => readonly string[]): string => {
  const active = trunks.filter((trunk) => trunk.active).toSorted((a, b) => a.settings.priority - b.settings.priority)
  const places = active.flatMap(({ id, settings: { sourceAddresses } }) =>
    (sourceAddresses.length > 0 ? sourceAddresses : hostsOf(id)).map((place) => ({ place, id })),
  )
  return [...Map.groupBy(places, ({ place }) => place)]
    .map(
      ([place, shared]) =>
        `${lineOf(
          place,
          shared.map(({ id }) => id),
        )}\n`,
    )
    .join('')
}

const lineOf = (place: string, trunkIds: readonly string[]): string => {
  const [address = '', bits] = place.split('/')
  return `1 ${address} ${bits ?? (address.includes(':') ? 128 : 32)} 0 ${trunkIds.join(',')}`
}

/** Flag 8: it is asked whether it takes calls. */
export const processesFile = (nodes: readonly (ClusterNode & { drain: boolean })[], now: number): string => {
  const there = [...new Set(nodes.filter((node) => stateOf(node, now) !== 'GONE').map(({ sip }) => sip))].toSorted()
  return there.map((sip) => `1 ${sip} 8 0\n2 ${sip} 0 0\n`).join('')
}
