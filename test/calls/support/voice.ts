import { createSocket, type Socket } from 'node:dgram'
import type { Scope } from '#test/machine/temporary-folder.ts'
import { createCodec } from '#media/codec/create-codec.ts'
import { Ear } from './ear.ts'
import type { Pacer } from './pacer.ts'

const packetMs = 20
const [pcma, keyEvents] = [8, 101]
const headerBytes = 12
const keyNames = '0123456789*#'
/** Amplitude of -12 dB. */
const loudness = 8192

/** A tone whose frequency is a multiple of 25 Hz repeats after two packets. */
const toneOf = (hz: number): Buffer[] => {
  const codec = createCodec('PCMA')
  return [0, 160].map((from) => {
    const samples = Int16Array.from({ length: 160 }, (_, i) => Math.round(loudness * Math.sin((2 * Math.PI * hz * (from + i)) / 8000)))
    const packet = Buffer.alloc(headerBytes + 160)
    codec.encode(samples, packet, headerBytes)
    return packet
  })
}

/** Audio of a phone: sends its own tone, analyses received sound, records received keys. */
export class Voice {
  readonly hz: number
  readonly ear = new Ear()
  /** Sends its tone only while this is true. */
  speaks: () => boolean = () => false
  /** Received keys (RFC 4733), each once. */
  keys = ''
  readonly #socket: Socket
  readonly #tone: Buffer[]
  #to: { address: string; port: number } | undefined
  #sequence = 0
  #due = 0
  #lastKey = -1

  private constructor(socket: Socket, hz: number) {
    this.#socket = socket
    this.hz = hz
    this.#tone = toneOf(hz)
    socket.on('message', (bytes, from) => this.#received(bytes, from.port))
  }

  static async open(scope: Scope, pacer: Pacer, address: string, hz: number): Promise<Voice> {
    const socket = createSocket({ type: 'udp4', recvBufferSize: 1 << 18 })
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.bind(0, address, resolve)
    })
    const voice = new Voice(socket, hz)
    scope.after(() => new Promise<void>((resolve) => socket.close(resolve)))
    pacer.add(voice)
    return voice
  }

  get port(): number {
    return this.#socket.address().port
  }

  /** Sends its tone there from now on, and ignores other sources. */
  talkTo(to: { address: string; port: number } | undefined): void {
    this.#to = to
  }

  tick(now: number): void {
    if (!this.#to || !this.speaks()) {
      this.#due = now + packetMs
      return
    }
    for (; this.#due <= now; this.#due += packetMs) this.#say(this.#to)
  }

  #say({ address, port }: { address: string; port: number }): void {
    this.#sequence = (this.#sequence + 1) & 0xffff
    const packet = Buffer.from(this.#tone[this.#sequence % 2] ?? '')
    packet[0] = 0x80
    packet[1] = pcma
    packet.writeUInt16BE(this.#sequence, 2)
    packet.writeUInt32BE(this.#sequence * 160, 4)
    packet.writeUInt32BE(this.hz, 8)
    this.#socket.send(packet, port, address, () => {})
  }

  #received(packet: Buffer, from: number): void {
    if (from !== this.#to?.port || packet.length < headerBytes) return
    const type = (packet[1] ?? 0) & 0x7f
    if (type === pcma) this.ear.hear(packet, headerBytes)
    else if (type === keyEvents) this.#key(packet)
  }

  #key(packet: Buffer): void {
    const timestamp = packet.readUInt32BE(4)
    if (timestamp === this.#lastKey) return
    this.#lastKey = timestamp
    this.keys += keyNames[packet[headerBytes] ?? 0] ?? '?'
  }
}
