import type { StreamSettings } from '#media/engine.ts'
import type { Direction, Media } from '@offhook/sip/sdp/sdp.ts'

const defaultPtime = 20

export const hears = (direction: Direction): boolean => direction === 'sendrecv' || direction === 'recvonly'
export const speaks = (direction: Direction): boolean => direction === 'sendrecv' || direction === 'sendonly'

export const directionOf = ({ send, receive }: Pick<StreamSettings, 'send' | 'receive'>): Direction => {
  if (send) return receive ? 'sendrecv' : 'sendonly'
  return receive ? 'recvonly' : 'inactive'
}

/** How long a packet of theirs is, as far as we can do it: tens of milliseconds up to 60. */
export const ptimeOf = ({ ptime, maxptime }: Pick<Media, 'ptime' | 'maxptime'>): number => {
  const wanted = Math.min(ptime ?? defaultPtime, maxptime ?? 60, 60)
  return Math.max(10, wanted - (wanted % 10))
}
