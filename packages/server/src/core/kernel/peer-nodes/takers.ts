import type { Clock, PeerNode, PeerNodes } from '../ports/platform.ts'
import { following } from './ring.ts'

type Taker = Pick<PeerNode, 'owner' | 'draining' | 'region'>
type LostNode = Pick<PeerNode, 'owner' | 'region' | 'calls'>

interface TakersDeps {
  peerNodes: Pick<PeerNodes, 'onGone' | 'living'>
  /** Monotonic. */
  clock: Clock
  self: () => Taker
  /** Takes over calls of this node; `share`: number that it claims first. */
  take: (owner: string, share: number) => void
}

/** Calls of a lost node for each taker, so that few claims find none. */
const callsEach = 5
/** Some takers may be lost at the same time. */
const minTakers = 8
/** Milliseconds after which nodes lost at the same time are known. */
const settledMs = 1_000

/** Calls `take` for each lost node whose calls this node takes over: at once, or after other takers turned out to be lost as well. */
export const takeOverLost = ({ peerNodes, clock, self, take }: TakersDeps): (() => void) => {
  const pending = new Set<() => void>()
  const look = (lost: LostNode): boolean => {
    const own = self()
    const takers = takersOf(lost, [own, ...peerNodes.living()])
    const isTaker = takers.some(({ owner }) => owner === own.owner)
    if (isTaker) take(lost.owner, Math.ceil(lost.calls / takers.length))
    return isTaker
  }
  const lookAgain = (lost: LostNode): void => {
    const cancel = clock.after(settledMs, () => {
      pending.delete(cancel)
      look(lost)
    })
    pending.add(cancel)
  }
  const stop = peerNodes.onGone((lost) => {
    if (!look(lost)) lookAgain(lost)
  })
  return () => {
    stop()
    for (const cancel of pending) cancel()
  }
}

/**
 * Nodes that take over the calls of a lost node: its neighbours on the ring of owners, in its region if some node of it is left. The others
 * leave them alone; otherwise the loss of one of 1,000 nodes would cost 1,000 claims.
 */
export const takersOf = <T extends Taker>({ owner, region, calls }: LostNode, living: readonly T[]): T[] => {
  const count = Math.max(minTakers, Math.ceil(calls / callsEach))
  return following(nearest(living, region), owner, { nameOf: (one) => one.owner, count })
}

/** Nodes that accept calls: those of the region, or all if it has none. */
export const nearest = <T extends Pick<Taker, 'draining' | 'region'>>(nodes: readonly T[], region: string | undefined): T[] => {
  const able = nodes.filter(({ draining }) => !draining)
  const here = able.filter((one) => one.region === region)
  return here.length > 0 ? here : able
}
