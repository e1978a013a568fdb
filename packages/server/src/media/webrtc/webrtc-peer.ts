import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import type { Audio, PeerConnection, Track } from 'node-datachannel'
import { isRtcp, writeUint32 } from '../rtp/rtp.ts'
import {
  type GatewaySettings,
  type PeerSettings,
  audioSection,
  inTermsOf,
  midOf,
  withDirection,
  withoutNames,
  withPublicAddress,
} from './webrtc-protocol.ts'

export interface WebRtcLibrary {
  PeerConnection: typeof PeerConnection
  Audio: typeof Audio
}

/** Only local addresses are gathered; that takes milliseconds, unless a network interface hangs. */
const gatheringMs = 2_000

interface PeerObserver {
  connected(): void
  /** It failed or was closed. A far end that is briefly unreachable may come back. */
  ended(): void
}

/** One connection to a browser: SRTP on that side, plain RTP to one of our streams on the other. */
export class WebRtcPeer {
  readonly #settings: GatewaySettings
  readonly #peer: PeerSettings
  readonly #library: WebRtcLibrary
  readonly #connection: PeerConnection
  readonly #relay: Socket
  readonly #ssrc = randomBytes(4).readUInt32BE()
  readonly #gathered: Promise<void>
  #track: Track | undefined
  #closed = false

  private constructor(library: WebRtcLibrary, settings: GatewaySettings, peer: PeerSettings, observer: PeerObserver, relay: Socket) {
    this.#library = library
    this.#settings = settings
    this.#peer = peer
    this.#relay = relay
    this.#connection = new library.PeerConnection('offhook', {
      iceServers: [],
      disableAutoNegotiation: true,
      ...(settings.bindAddress !== undefined && { bindAddress: settings.bindAddress }),
      ...(settings.ports && { portRangeBegin: settings.ports.first, portRangeEnd: settings.ports.last }),
    })
    this.#connection.onStateChange((state) => {
      if (state === 'connected') observer.connected()
      if (state === 'failed' || state === 'closed') observer.ended()
    })
    this.#gathered = new Promise((resolve) => {
      const timer = setTimeout(resolve, gatheringMs)
      this.#connection.onGatheringStateChange((state) => {
        if (state !== 'complete') return
        clearTimeout(timer)
        resolve()
      })
    })
    relay.on('message', (bytes) => this.#fromStream(bytes))
    relay.on('error', () => {}) // the stream is already closed, or not open yet
  }

  static async open(library: WebRtcLibrary, settings: GatewaySettings, peer: PeerSettings, observer: PeerObserver): Promise<WebRtcPeer> {
    const relay = createSocket(settings.relayAddress.includes(':') ? 'udp6' : 'udp4')
    await new Promise<void>((resolve) => void relay.bind(0, settings.relayAddress, resolve))
    await new Promise<void>((resolve) => relay.connect(peer.streamPort, settings.relayAddress, resolve))
    return new WebRtcPeer(library, settings, peer, observer, relay)
  }

  get relayPort(): number {
    return this.#relay.address().port
  }

  async answer(offer: string): Promise<string> {
    this.#addTrack(midOf(audioSection(offer)))
    this.#connection.setRemoteDescription(bothWays(offer), 'offer')
    this.#connection.setLocalDescription('answer')
    return inTermsOf(await this.#described(), offer)
  }

  async offer(): Promise<string> {
    this.#addTrack(this.#peer.mid ?? '0')
    this.#connection.setLocalDescription('offer')
    return this.#described()
  }

  accept(answer: string): void {
    audioSection(answer)
    this.#connection.setRemoteDescription(bothWays(answer), 'answer')
  }

  close(): void {
    this.#closed = true
    this.#connection.close()
    this.#relay.close()
  }

  /** Called before the descriptions are set: otherwise the answer is recvonly, and the browser stays silent. */
  #addTrack(mid: string): void {
    const audio = new this.#library.Audio(mid, 'SendRecv')
    for (const { payloadType, encoding, parameters } of this.#peer.formats) {
      if (parameters === undefined) audio.addAudioCodec(payloadType, encoding)
      else audio.addAudioCodec(payloadType, encoding, parameters)
    }
    audio.addSSRC(this.#ssrc, 'offhook', 'offhook', 'audio')
    this.#track = this.#connection.addTrack(audio)
    this.#track.onMessage((bytes) => this.#fromBrowser(bytes))
  }

  /** The library reads in its own threads: packets may arrive even after close, when they can no longer be forwarded. */
  #fromBrowser(bytes: Buffer): void {
    // Its reports concern a source that the stream does not know under this SSRC.
    if (!this.#closed && !isRtcp(bytes, bytes.length)) this.#relay.send(bytes, ignore)
  }

  #fromStream(bytes: Buffer): void {
    if (!this.#track?.isOpen() || bytes.length < 12) return
    writeUint32(bytes, 8, this.#ssrc)
    this.#track.sendMessageBinary(bytes)
  }

  async #described(): Promise<string> {
    await this.#gathered
    const sdp = this.#connection.localDescription()?.sdp
    if (sdp === undefined) throw new Error('the connection has no description')
    const { publicAddress } = this.#settings
    return withDirection(publicAddress === undefined ? sdp : withPublicAddress(sdp, publicAddress), this.#peer.direction)
  }
}

const ignore = (): void => {}

/** The stream decides the direction and changes it often; the connection always carries both. */
const bothWays = (sdp: string): string => withDirection(withoutNames(sdp), 'sendrecv')
