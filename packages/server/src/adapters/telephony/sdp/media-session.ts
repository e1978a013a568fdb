import type { StreamSettings } from '#media/engine.ts'
import type { SavedMedia } from './saved-media.ts'
import { parseSdp } from '@offhook/sip/sdp/parse-sdp.ts'
import type { Sdp } from '@offhook/sip/sdp/sdp.ts'

/** What both sides want by now. */
export interface Agreed {
  settings: StreamSettings
  /** The far end does not want to hear us. */
  heldByPeer: boolean
}

export interface OfferOptions {
  /** All that we can, because the far end asks what that is (RFC 3261 §14.2); what is in use keeps its numbers. */
  everything?: boolean
}

/** Offers and answers of one leg, for one way of carrying its audio. */
export interface MediaSession {
  /** We keep the far end on hold: it hears music and is not listened to. Part of the next offer or answer. */
  holding: boolean
  /** Resolves when the audio cannot go on, without any signalling. */
  readonly broken?: Promise<void>
  /** Whether `answer` will find something. */
  likes(offer: string): boolean
  /** The first offer has everything we can; later ones keep what was agreed. */
  offer(port: number, options?: OfferOptions): string | Promise<string>
  /** Undefined when their offer has nothing for us. `from`: the address that their messages set out from. */
  answer(offer: string, port: number, from: string | undefined): Answered | undefined | Promise<Answered | undefined>
  /** Their answer to our last offer; undefined when it refuses or contradicts it. */
  confirm(answer: string, from: string | undefined): Agreed | undefined
  /** What another process needs to go on with it; undefined when none can, or nothing is agreed yet. */
  saved?(): SavedMedia | undefined
  close?(): void
}

export interface Answered {
  sdp: string
  agreed: Agreed
}

/** Undefined for what cannot be read: there is nothing to agree to. */
export const readSdp = (text: string): Sdp | undefined => {
  try {
    return parseSdp(text)
  } catch {
    return undefined
  }
}
