import { fork, type ChildProcess } from 'node:child_process'
import { extname, join } from 'node:path'
import { localAddress, type SocketAddress } from '../socket/socket.ts'
import {
  type GatewayCommand,
  type GatewayEvent,
  type GatewaySettings,
  type PeerSettings,
  type SdpDirection,
  describedAgain,
  ufragOf,
} from './webrtc-protocol.ts'

export type { PeerSettings, RtpFormat, SdpDirection } from './webrtc-protocol.ts'

interface WebRtcSettings extends Omit<GatewaySettings, 'relayAddress'> {
  /** The address of the media engine. */
  mediaAddress: string
  processStarted?: (pid: number) => void
  /** All of its connections have ended; the next one starts another process. */
  processDied?: (why: string) => void
}

export interface WebRtcLeg {
  /** For StreamSettings.remote; `source` is `signalled`, `srtp` is undefined: this RTP is plain and stays on this machine. */
  readonly relay: SocketAddress
  /** Resolves when the browser is connected. */
  readonly connected: Promise<void>
  /** Resolves when the connection failed or was closed by either side. */
  readonly ended: Promise<void>
  /**
   * For hold and the like: our description with another direction, as the answer to `theirs` or as an offer. Throws WebRtcRefused on an ICE
   * restart.
   */
  describeAgain(direction: SdpDirection, theirs?: string): string
  close(): void
}

/** DTLS-SRTP and ICE, for browsers and compatible phones. */
export interface WebRtcGateway {
  /** `settings.formats`: the chosen formats of the offer. Throws WebRtcRefused or WebRtcUnavailable. */
  answer(offer: string, settings: PeerSettings): Promise<WebRtcLeg & { answer: string }>
  offer(settings: PeerSettings): Promise<WebRtcLeg & { offer: string; accept(answer: string): Promise<void> }>
  /** Starts the process in advance, so that an expected connection need not wait for it. */
  start(): void
  close(): Promise<void>
}

/** The library cannot be loaded on this machine. */
class WebRtcUnavailable extends Error {
  constructor(why: string) {
    super(`calls from browsers are not possible here: ${why}`)
    this.name = 'WebRtcUnavailable'
  }
}

/** A description that cannot be answered. */
export class WebRtcRefused extends Error {
  constructor(why: string) {
    super(why)
    this.name = 'WebRtcRefused'
  }
}

export const startWebRtc = (settings: WebRtcSettings): WebRtcGateway => new Gateway(settings)

interface Peer {
  /** Their initial description. */
  theirs: string
  version: number
  connected: PromiseWithResolvers<void>
  ended: PromiseWithResolvers<void>
}

type Unasked<T> = T extends unknown ? Omit<T, 'ask'> : never
type Question = Extract<GatewayCommand, { ask: number }>
type Answer = Extract<GatewayEvent, { tell: 'answer' }>

class Gateway implements WebRtcGateway {
  readonly #settings: GatewaySettings
  readonly #watched: Pick<WebRtcSettings, 'processStarted' | 'processDied'>
  /** Started with the first connection, and again after its death. */
  #child: ChildProcess | undefined
  #ready: Promise<void> = Promise.resolve()
  readonly #peers = new Map<number, Peer>()
  readonly #questions = new Map<number, PromiseWithResolvers<Answer>>()
  #lastId = 0

  constructor({ mediaAddress, processStarted, processDied, ...rest }: WebRtcSettings) {
    this.#watched = { ...(processStarted && { processStarted }), ...(processDied && { processDied }) }
    this.#settings = { ...rest, relayAddress: localAddress(mediaAddress) }
  }

  async answer(offer: string, settings: PeerSettings): Promise<WebRtcLeg & { answer: string }> {
    const { leg, sdp, state } = await this.#open((peer) => ({ do: 'answer', peer, settings, offer }))
    state.theirs = offer
    return { ...leg, answer: sdp }
  }

  async offer(settings: PeerSettings): Promise<WebRtcLeg & { offer: string; accept(answer: string): Promise<void> }> {
    const { leg, sdp, peer, state } = await this.#open((id) => ({ do: 'offer', peer: id, settings }))
    const accept = async (answer: string): Promise<void> => {
      state.theirs = answer
      await this.#ask({ do: 'accept', peer, answer })
    }
    return { ...leg, offer: sdp, accept }
  }

  start(): void {
    if (!this.#child) this.#fork()
  }

  async close(): Promise<void> {
    const child = this.#child
    this.#gone()
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    await new Promise<void>((resolve) => {
      child.once('exit', () => resolve())
      child.disconnect()
    })
  }

  async #open(command: (peer: number) => Unasked<Question>): Promise<{ leg: WebRtcLeg; sdp: string; peer: number; state: Peer }> {
    const id = ++this.#lastId
    const peer: Peer = { theirs: '', version: 0, connected: Promise.withResolvers(), ended: Promise.withResolvers() }
    this.#peers.set(id, peer)
    try {
      const { sdp, relayPort } = await this.#ask(command(id))
      const leg = {
        relay: { address: this.#settings.relayAddress, port: relayPort },
        connected: peer.connected.promise,
        ended: peer.ended.promise,
        describeAgain: (direction: SdpDirection, theirs?: string) => describeAgain(peer, sdp, direction, theirs),
        close: () => this.#close(id),
      }
      return { leg, sdp, peer: id, state: peer }
    } catch (error) {
      this.#peers.delete(id)
      throw error
    }
  }

  #close(id: number): void {
    const peer = this.#peers.get(id)
    this.#peers.delete(id)
    peer?.ended.resolve()
    if (peer) this.#child?.send({ do: 'close', peer: id } satisfies GatewayCommand, ignore)
  }

  async #ask(question: Unasked<Question>): Promise<Answer> {
    this.start()
    await this.#ready
    const ask = ++this.#lastId
    const answer = Promise.withResolvers<Answer>()
    this.#questions.set(ask, answer)
    this.#child?.send({ ...question, ask }, (error) => {
      if (error) answer.reject(new WebRtcRefused('the gateway is gone'))
    })
    return answer.promise
  }

  #fork(): void {
    const child = fork(join(import.meta.dirname, `webrtc-process${extname(import.meta.filename)}`), [JSON.stringify(this.#settings)], {
      serialization: 'advanced',
    })
    this.#child = child
    this.#ready = new Promise((resolve, reject) => {
      child.on('message', (event: GatewayEvent) => {
        if (event.tell === 'ready') resolve()
        else if (event.tell === 'unavailable') reject(new WebRtcUnavailable(event.why))
        else this.#notified(event)
      })
      child.once('exit', (code, signal) => {
        reject(new WebRtcUnavailable('its process ended'))
        if (this.#child !== child) return // an intended end
        this.#gone()
        this.#watched.processDied?.(`it ended with ${signal ?? code}`)
      })
    })
    if (child.pid !== undefined) this.#watched.processStarted?.(child.pid)
    this.#ready.catch(ignore) // reported to the callers that need it
  }

  #notified(event: GatewayEvent): void {
    if (event.tell === 'answer' || event.tell === 'refused') {
      const question = this.#questions.get(event.ask)
      this.#questions.delete(event.ask)
      if (event.tell === 'answer') question?.resolve(event)
      else question?.reject(new WebRtcRefused(event.why))
    } else if (event.tell === 'connected') this.#peers.get(event.peer)?.connected.resolve()
    else if (event.tell === 'ended') this.#peers.get(event.peer)?.ended.resolve()
  }

  #gone(): void {
    this.#child = undefined
    for (const peer of this.#peers.values()) peer.ended.resolve()
    for (const question of this.#questions.values()) question.reject(new WebRtcRefused('the gateway is gone'))
    this.#peers.clear()
    this.#questions.clear()
  }
}

const describeAgain = (peer: Peer, ours: string, direction: SdpDirection, theirs: string | undefined): string => {
  if (theirs !== undefined && ufragOf(theirs) !== ufragOf(peer.theirs)) throw new WebRtcRefused('the connection cannot begin anew')
  return describedAgain(ours, direction, theirs === undefined ? 'offer' : 'answer', ++peer.version)
}

const ignore = (): void => {}
