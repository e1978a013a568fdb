import type { SavedDialog } from '#core/kernel/ports/telephony.ts'
import type { SavedSession, SessionTrace } from '@offhook/sip/session/session.ts'
import { wayWithoutConnection } from '../phone/binding.ts'
import type { SavedMedia } from '../sdp/media-session.ts'

/** Version 1 only had the data for ending a leg. */
const version = 2

/** Stored state of a leg, with which another node can resume or end it. */
export interface SavedLeg extends SessionTrace {
  version?: number
  /** The trunk that counts the call and whose credentials are used in it. */
  trunkId?: string
  /** The following fields are set if it can be resumed. */
  legId?: string
  media?: SavedMedia
  /** We hold the far end. */
  holding?: boolean
  muted?: boolean
  forwardsLeft?: number
}

/** A leg that can be resumed. */
export interface ResumableLeg extends SavedLeg {
  legId: string
  session: SavedSession
  media: SavedMedia
}

/** Current state of a leg. */
export interface StoredLeg extends Pick<SavedLeg, 'holding' | 'muted' | 'forwardsLeft'> {
  /** Missing if it cannot be resumed. */
  id?: string
  trace: SessionTrace | undefined
  trunkId: string | undefined
  media?: SavedMedia | undefined
  /** Stored state of another node; unknown fields are written back unchanged. */
  before?: object | undefined
}

/** Undefined while it rings at the far end, and when only the phone itself could reconnect. */
export const saveLeg = ({ id, trace, trunkId, media, holding, muted, forwardsLeft, before }: StoredLeg): SavedDialog | undefined => {
  const flow = trace?.flow && wayWithoutConnection(trace, trace.flow)
  if (!trace || (trace.flow && !flow)) return undefined
  return {
    ...before,
    ...trace,
    version,
    ...(flow && { flow }),
    ...(trunkId !== undefined && { trunkId }),
    ...(trace.session && media && id !== undefined && { legId: id, media, holding, muted, forwardsLeft }),
  }
}

/** Stored state of a leg, and whether it is up to date. */
export class LegNotes {
  readonly #read: () => StoredLeg
  #written: string | undefined

  constructor(read: () => StoredLeg) {
    this.#read = read
  }

  write(): SavedDialog | undefined {
    const leg = this.#read()
    this.#written = essenceOf(leg)
    return saveLeg(leg)
  }

  /** The stored state differs from the current one. */
  get outdated(): boolean {
    return this.#written !== undefined && essenceOf(this.#read()) !== this.#written
  }
}

/** Without the number of every request: another node leaves a gap. */
const essenceOf = ({ trace, media, holding, muted }: StoredLeg): string =>
  JSON.stringify([media, holding, muted, trace?.target, trace?.session !== undefined])

/** Undefined if it cannot be resumed: an older version stored it, or its audio was lost with its process. */
export const resumableLeg = (saved: SavedDialog): ResumableLeg | undefined => {
  const { session, media, legId, ...rest } = saved as unknown as SavedLeg
  return session && media && legId !== undefined ? { ...rest, session, media, legId } : undefined
}
