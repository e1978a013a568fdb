import { isIPv6 } from 'node:net'
import { formatSdp, makeMedia } from '@offhook/sip/sdp/format-sdp.ts'
import type { Connection, Media } from '@offhook/sip/sdp/sdp.ts'

/** The o= line of our descriptions, for a process that goes on with the call. */
export interface SavedOrigin {
  sessionId: string
  version: number
}

/** More versions than there are after the last one was written down: a far end ignores a description whose version it knows. */
export const unseenVersions = 100

/** Our descriptions in one call: the same session for ever, in versions that count up (RFC 3264 §8). */
export class SdpWriter {
  readonly #connection: Connection
  readonly #sessionId: string
  #version: number
  #sent: string | undefined

  /** `address`: where the far end finds our streams. */
  constructor(address: string, saved?: SavedOrigin) {
    this.#connection = { family: isIPv6(address) ? 'IP6' : 'IP4', address }
    this.#sessionId = saved?.sessionId ?? String(Math.floor(Math.random() * 2 ** 47))
    this.#version = saved ? saved.version + unseenVersions : 0
  }

  get saved(): SavedOrigin {
    return { sessionId: this.#sessionId, version: this.#version }
  }

  /** A description that says the same as the last one is the last one; otherwise its version is one higher. */
  write(media: Media[]): string {
    const same = this.#format(media)
    if (same === this.#sent) return same
    if (this.#sent === undefined) return (this.#sent = same)
    this.#version++
    return (this.#sent = this.#format(media))
  }

  #format(media: Media[]): string {
    const connection = this.#connection
    const origin = { username: '-', sessionId: this.#sessionId, version: String(this.#version), ...connection }
    return formatSdp({ origin, name: '-', connection, iceLite: false, attributes: [], media })
  }
}

/** RFC 3264 §6: a line that is not wanted stays, with port 0. */
export const refused = ({ kind, protocol, payloads, formats }: Media): Media => {
  const named = payloads.length > 0 ? [String(payloads[0]?.type)] : formats.slice(0, 1)
  return makeMedia({ kind, protocol, port: 0, formats: named, direction: 'inactive' })
}
