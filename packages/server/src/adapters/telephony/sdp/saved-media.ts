import type { CodecName, SrtpSettings, StreamSettings } from '#media/engine.ts'
import type { Media } from '@offhook/sip/sdp/sdp.ts'
import type { FarEnd } from './remote-media.ts'
import type { ChosenCodec } from './sdp-codecs.ts'
import type { SavedOrigin } from './sdp-writer.ts'

/** What another process needs to go on with the audio of a leg, as JSON. */
export type SavedMedia = SavedRtp | SavedWebRtc

interface Saved {
  origin: SavedOrigin
  /** Those that we may offer, best first. */
  codecs: readonly CodecName[]
  codec: ChosenCodec
  settings: Omit<StreamSettings, 'srtp'>
}

export interface SavedRtp extends Saved {
  kind: 'rtp'
  farEnd?: FarEnd
  protocol: string
  /** Which line is the audio, */
  index: number
  /** and all of them. */
  lines: readonly Pick<Media, 'kind' | 'protocol' | 'formats'>[]
  /**
   * It is encrypted with keys in the description; ours is sealed. Phones keep the first one that they heard of, so it stays the same. The far end
   * says its own again in its answer.
   */
  encrypted?: { suite: SrtpSettings['suite']; tag: number; key: string }
}

/** Keys and the way are agreed anew: an ICE restart with another DTLS association. */
export interface SavedWebRtc extends Saved {
  kind: 'webrtc'
  /** How the far end writes; see `termsOf`. */
  terms: string
}
