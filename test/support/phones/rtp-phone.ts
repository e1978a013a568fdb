import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import type { Codec } from '#media/codec/codec.ts'
import { createCodec } from '#media/codec/create-codec.ts'
import { DtmfReceiver, DtmfSender } from '#media/dtmf/dtmf-events.ts'
import { dtmfSound } from '#media/dtmf/dtmf-tones.ts'
import type { CodecName, StreamSettings, SrtpSettings } from '#media/engine.ts'
import { isRtcp, parseRtp, RtpPacket, writeRtpHeader } from '#media/rtp/rtp.ts'
import { Srtp } from '#media/rtp/srtp.ts'
import { within } from '../machine/within.ts'
import { toneLevel } from '../sound/spectrum.ts'

export interface PhoneOptions {
  codec?: CodecName
  address?: string
  ptimeMs?: number
  ssrc?: number
  /** SRTP settings of this phone: its own key is `localKey`. */
  srtp?: SrtpSettings
}

export interface HeardPacket {
  payloadType: number
  marker: boolean
  sequence: number
  timestamp: number
  ssrc: number
  bytes: number
  atMs: number
  /** Port of the sender. */
  from: number
}

export const payloadTypes = { PCMA: 8, PCMU: 0, G722: 9, opus: 96 } as const
export const dtmfPayloadType = 101
const keptSamples = 16_000 * 20

const openSocket = async (address: string): Promise<Socket> => {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4')
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.bind(0, address, resolve)
  })
  return socket
}

/** Telephone without signalling, on real sockets: sends a tone, receives, presses keys. */
export class RtpPhone {
  readonly codec: Codec
  readonly packets: HeardPacket[] = []
  readonly keys: string[] = []
  rtcpPackets = 0
  sent = 0
  /** Packets to lose, by sequence number. */
  loses: (sequence: number) => boolean = () => false
  /** Called with the sound of each packet. */
  onHeard: (samples: Int16Array, atMs: number) => void = () => {}
  /** Received sound in order of arrival. */
  readonly #heard = new Int16Array(keptSamples)
  #heardCount = 0
  #socket: Socket
  #options: Required<Omit<PhoneOptions, 'srtp'>>
  readonly #outgoing: Srtp | undefined
  readonly #incoming: Srtp | undefined
  readonly #receiver = new DtmfReceiver()
  readonly #sender: DtmfSender
  readonly #packet = new RtpPacket()
  readonly #bytes = Buffer.alloc(1500)
  #to: { port: number; address: string } | undefined
  #hz: number | undefined
  #payload: ((sequence: number) => { payloadType: number; bytes: Uint8Array } | undefined) | undefined
  #phase = 0
  #sequence = 65_500
  #timestamp = 4_294_960_000
  #timer: NodeJS.Timeout | undefined
  #watchers: (() => void)[] = []

  private constructor(socket: Socket, options: PhoneOptions) {
    this.#socket = socket
    this.#options = { codec: 'PCMA', address: '127.0.0.1', ptimeMs: 20, ssrc: Math.floor(Math.random() * 2 ** 32), ...options }
    this.codec = createCodec(this.#options.codec)
    this.#sender = new DtmfSender(this.codec.clockRate, this.#options.ptimeMs)
    this.#outgoing = options.srtp && new Srtp(options.srtp.localKey, options.srtp.suite)
    this.#incoming = options.srtp && new Srtp(options.srtp.remoteKey, options.srtp.suite)
    this.#listen()
  }

  static async open(options: PhoneOptions = {}): Promise<RtpPhone> {
    return new RtpPhone(await openSocket(options.address ?? '127.0.0.1'), options)
  }

  /** Continues from another port, as behind a router that has dropped the mapping; or from another address. */
  async move(address = this.#options.address): Promise<void> {
    const before = this.#socket
    this.#socket = await openSocket(address)
    this.#options = { ...this.#options, address }
    this.#listen()
    await new Promise<void>((resolve) => before.close(resolve))
  }

  #listen(): void {
    this.#socket.on('message', (bytes, from) => this.#received(bytes, from))
  }

  get port(): number {
    return this.#socket.address().port
  }

  /** Stream settings for this phone. */
  settings(changes: Partial<StreamSettings> = {}): StreamSettings {
    const { codec, address, ptimeMs } = this.#options
    return {
      remote: { address, port: this.port },
      codec,
      payloadType: payloadTypes[codec],
      dtmfPayloadType,
      ptimeMs,
      send: true,
      receive: true,
      srtp: undefined,
      alsoFrom: [],
      ...changes,
    }
  }

  /** Starts sending a tone or silence. */
  talk(to: number | { port: number; address: string }, hz?: number): void {
    this.#to = typeof to === 'number' ? { port: to, address: this.#options.address } : to
    this.#hz = hz
    if (this.#timer) return
    let due = performance.now()
    this.#timer = setInterval(() => {
      for (; due <= performance.now(); due += this.#options.ptimeMs) this.#say()
    }, this.#options.ptimeMs / 4)
  }

  /** Sends there from now on. */
  turnTo(to: { port: number; address: string }): void {
    this.#to = to
  }

  get tone(): number | undefined {
    return this.#hz
  }

  say(hz: number | undefined): void {
    this.#hz = hz
  }

  /** Sends another payload in place of each packet; undefined for audio. */
  sendInstead(payload: (sequence: number) => { payloadType: number; bytes: Uint8Array } | undefined): void {
    this.#payload = payload
  }

  muteInput(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  press(digits: string): void {
    this.#sender.add(digits)
  }

  /** Plays the key in-band repeatedly, a tenth of a second each time. */
  pressAudibly(digit: string): void {
    const { sampleRate } = this.codec
    const sound = dtmfSound(digit, sampleRate, { toneMs: 100, gapMs: 100 })
    const size = (sampleRate * this.#options.ptimeMs) / 1000
    const frames = Array.from({ length: sound.length / size }, (_, i) => {
      const bytes = new Uint8Array(size)
      const length = this.codec.encode(sound.subarray(i * size, (i + 1) * size), bytes, 0)
      return { payloadType: payloadTypes[this.#options.codec], bytes: bytes.subarray(0, length) }
    })
    this.sendInstead((sequence) => frames[sequence % frames.length])
  }

  /** Sends one packet verbatim. */
  sendRaw(bytes: Uint8Array, to: { port: number; address: string }): void {
    this.#socket.send(bytes, to.port, to.address)
  }

  /** Last milliseconds of received sound. */
  recent(ms: number): Int16Array {
    return this.#heard.subarray(Math.max(0, this.#heardCount - Math.round((ms * this.codec.sampleRate) / 1000)), this.#heardCount)
  }

  get heardMs(): number {
    return (this.#heardCount / this.codec.sampleRate) * 1000
  }

  /** Level of a tone in the latest sound; -Infinity while there is too little. */
  level(hz: number, ms = 200): number {
    return this.heardMs < ms ? -Infinity : toneLevel(this.recent(ms), hz, this.codec.sampleRate)
  }

  forget(): void {
    this.#heardCount = 0
    this.packets.length = 0
  }

  /** Checks the condition after each packet. */
  async until(happened: () => boolean, what = 'it did not happen', withinMs = 60_000): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const look = (): void => {
      if (happened()) resolve()
    }
    this.#watchers.push(look)
    look()
    await within(withinMs, what, promise).finally(() => {
      this.#watchers = this.#watchers.filter((one) => one !== look)
    })
  }

  hears(hz: number, ms = 200): Promise<void> {
    return this.until(() => this.level(hz, ms) > -20, `no ${hz} Hz`)
  }

  /** Resolves when there is only silence, or tones other than this one. */
  missing(hz: number, ms = 200): Promise<void> {
    return this.until(() => this.heardMs >= ms && this.level(hz, ms) < -50, `still ${hz} Hz`)
  }

  async close(): Promise<void> {
    this.muteInput()
    this.codec.close()
    await new Promise<void>((resolve) => this.#socket.close(resolve))
  }

  #say(): void {
    if (!this.#to) return
    const { codec } = this
    const instead = this.#payload?.(this.#sequence)
    const ticks = (codec.clockRate * this.#options.ptimeMs) / 1000
    if (instead) {
      this.#bytes.set(instead.bytes, 12)
      this.#send(instead.payloadType, false, this.#timestamp, instead.bytes.length)
    } else if (this.#sender.next(this.#timestamp)) {
      this.#bytes.set(this.#sender.payload, 12)
      this.#send(dtmfPayloadType, this.#sender.marker, this.#sender.timestamp, 4)
    } else this.#send(payloadTypes[this.#options.codec], false, this.#timestamp, codec.encode(this.#tone(), this.#bytes, 12))
    this.#timestamp += ticks
  }

  #tone(): Int16Array {
    const { sampleRate } = this.codec
    const pcm = new Int16Array((sampleRate * this.#options.ptimeMs) / 1000)
    if (this.#hz === undefined) return pcm
    for (let i = 0; i < pcm.length; i++) pcm[i] = 8000 * Math.sin((2 * Math.PI * this.#hz * this.#phase++) / sampleRate)
    return pcm
  }

  #send(payloadType: number, marker: boolean, timestamp: number, size: number): void {
    const sequence = this.#sequence++ & 0xffff
    this.sent++
    writeRtpHeader(this.#bytes, payloadType, marker, sequence, timestamp, this.#options.ssrc)
    const length = this.#outgoing ? this.#outgoing.protect(this.#bytes, 12 + size) : 12 + size
    const to = this.#to
    if (to && !this.loses(sequence)) this.#socket.send(Buffer.from(this.#bytes.subarray(0, length)), to.port, to.address)
  }

  #received(bytes: Buffer, from: RemoteInfo): void {
    if (isRtcp(bytes, bytes.length)) this.rtcpPackets++
    else this.#receivedRtp(bytes, from.port)
    for (const look of this.#watchers) look()
  }

  #receivedRtp(bytes: Buffer, from: number): void {
    const length = this.#incoming ? this.#incoming.unprotect(bytes, bytes.length) : bytes.length
    const packet = this.#packet
    if (length < 0 || !parseRtp(bytes, length, packet)) return
    const { payloadType, marker, sequence, timestamp, ssrc, payloadStart, payloadEnd } = packet
    const atMs = performance.now()
    this.packets.push({ payloadType, marker, sequence, timestamp, ssrc, bytes: payloadEnd - payloadStart, atMs, from })
    if (payloadType === dtmfPayloadType) {
      const key = this.#receiver.receive(bytes, payloadStart, payloadEnd, timestamp, ssrc)
      if (key !== '') this.keys.push(key)
    } else if (payloadType === payloadTypes[this.#options.codec]) {
      if (this.#heardCount + 2000 > keptSamples) this.#heardCount = 0
      const from = this.#heardCount
      this.#heardCount += this.codec.decode(bytes, payloadStart, payloadEnd, this.#heard, from)
      this.onHeard(this.#heard.subarray(from, this.#heardCount), atMs)
    }
  }
}
