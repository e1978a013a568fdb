import { toneSound } from '#adapters/speech/tones/tone-speech.ts'
import { G711 } from '#media/codec/g711.ts'
import { encodeSocketAddress } from '#media/socket/socket.ts'
import { openUdp, sendto } from './raw-udp.ts'

/**
 * Many callers in one process: each sends G.711, 50 packets a second, and on request repeats the same words as tones, each at a different time.
 * Returned packets are not read.
 */
export type CallersOrder = { join: number; port: number } | { leave: number } | { text: string; intervalMs: number } | { silence: true }

/** Time at which the last packet of an utterance was sent; CLOCK_MONOTONIC, which all processes share. */
export interface CallerSaid {
  caller: number
  at: number
  /** Milliseconds of delay caused by a busy machine. */
  late: number
}

interface Caller {
  index: number
  address: Buffer
  sequence: number
  /** Next packet of the utterance. */
  place: number
}

const frame = 160
const slots = 20
const { fd, port } = openUdp('127.0.0.2', 4096)
const wheel: Caller[][] = Array.from({ length: slots }, () => [])
const packet = Buffer.alloc(12 + frame, 0xd5)
const silence = Buffer.alloc(frame, 0xd5)
const pillow = new Int32Array(new SharedArrayBuffer(4))
let words: Buffer[] = []
/** Packets from one utterance to the next. */
let cycle = Infinity
let callers = 0
/** Send time of the next slot. */
let due = performance.now()

const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6

const framesOf = (text: string): Buffer[] => {
  const sound = toneSound(text)
  const codec = new G711('PCMA')
  return Array.from({ length: Math.ceil(sound.length / frame) }, (_, nth) => {
    const samples = new Int16Array(frame)
    samples.set(sound.subarray(nth * frame, (nth + 1) * frame))
    const bytes = Buffer.alloc(frame)
    codec.encode(samples, bytes, 0)
    return bytes
  })
}

const send = (caller: Caller): void => {
  packet[0] = 0x80
  packet[1] = 8
  packet.writeUInt16BE(caller.sequence & 0xffff, 2)
  packet.writeUInt32BE((caller.sequence * frame) >>> 0, 4)
  packet.writeUInt32BE(caller.index + 1, 8)
  packet.set(words[caller.place] ?? silence, 12)
  sendto(fd, packet, packet.length, 0, caller.address, caller.address.length)
  if (caller.place === words.length - 1)
    process.send?.({ caller: caller.index, at: monotonicMs(), late: performance.now() - due } satisfies CallerSaid)
  caller.sequence++
  caller.place = cycle === Infinity ? 0 : (caller.place + 1) % cycle
}

const begin = (text: string, intervalMs: number): void => {
  words = framesOf(text)
  cycle = intervalMs / 20
  // Starts no caller in the middle of a word.
  for (const caller of wheel.flat()) caller.place = words.length + Math.floor(((cycle - words.length) * caller.index) / callers)
}

const join = (index: number, to: number): void => {
  const address = encodeSocketAddress({ address: '127.0.0.1', port: to }, false)
  callers++
  // Those that come later speak at their own times, too.
  const place = cycle === Infinity ? 0 : (words.length + index * 37) % cycle
  wheel[index % slots]?.push({ index, address, sequence: 0, place: Math.max(words.length, place) })
}

const leave = (index: number): void => {
  const slot = wheel[index % slots]
  const place = slot?.findIndex((caller) => caller.index === index) ?? -1
  if (place < 0) return
  slot?.splice(place, 1)
  callers--
}

process.on('message', (order: CallersOrder) => {
  if ('join' in order) join(order.join, order.port)
  else if ('leave' in order) leave(order.leave)
  else if ('text' in order) begin(order.text, order.intervalMs)
  else {
    words = []
    cycle = Infinity
  }
})
process.on('disconnect', () => process.exit())
process.send?.({ port })

let slot = 0
for (;;) {
  for (const now = performance.now(); due <= now; due++) {
    for (const caller of wheel[slot] ?? []) send(caller)
    slot = (slot + 1) % slots
  }
  const rest = due - performance.now()
  if (rest > 0) Atomics.wait(pillow, 0, 0, Math.min(rest, 0.5))
  await new Promise(setImmediate)
}
