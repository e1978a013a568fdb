import type { SavedDialog } from '#core/kernel/ports/telephony.ts'
import type { SavedSession, SessionTrace } from '@offhook/sip/session/session.ts'
import { wayWithoutConnection } from '../phone/binding.ts'
import type { SavedMedia } from '../sdp/saved-media.ts'

/** The first version had what ends a leg, and nothing more. */
const version = 2

/** What is kept of a leg, so that another process can go on with it or end it. */
export interface SavedLeg extends SessionTrace {
  version?: number
  /** Whose call it counts as, and whose credentials are used in it. */
  trunkId?: string
  /** Everything below is there when it can go on. */
  legId?: string
  media?: SavedMedia
  /** We keep the far end on hold. */
  holding?: boolean
  muted?: boolean
  forwardsLeft?: number
}

/** A leg that can go on. */
export interface ResumableLeg extends SavedLeg {
  legId: string
  session: SavedSession
  media: SavedMedia
}

/** A leg as it is now. */
export interface StoredLeg extends Pick<SavedLeg, 'holding' | 'muted' | 'forwardsLeft'> {
  /** Missing when it cannot go on. */
  id?: string
  trace: SessionTrace | undefined
  trunkId: string | undefined
  media?: SavedMedia | undefined
  /** What another process wrote: of what we do not know, nothing gets lost. */
  before?: object | undefined
}

/** Undefined while it rings at the far end, and when only the phone itself could connect again. */
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

/** What is written down of a leg, and whether that is still true. */
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

  /** Something else was written than would be now. */
  get outdated(): boolean {
    return this.#written !== undefined && essenceOf(this.#read()) !== this.#written
  }
}

/** Not the number of every request: another process leaves a gap. */
const essenceOf = ({ trace, media, holding, muted }: StoredLeg): string =>
  JSON.stringify([media, holding, muted, trace?.target, trace?.session !== undefined])

/** Undefined for what cannot go on: an older version wrote it, or its audio was lost with its process. */
export const resumableLeg = (saved: SavedDialog): ResumableLeg | undefined => {
  const { session, media, legId, ...rest } = saved as unknown as SavedLeg
  return session && media && legId !== undefined ? { ...rest, session, media, legId } : undefined
}
