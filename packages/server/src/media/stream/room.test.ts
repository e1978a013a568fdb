// test: own process, real time
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { secondsOf } from '#test/sound/tones.ts'
import { parseWav } from '#test/sound/wav.ts'
import { temporaryFolder, type Scope } from '#test/machine/temporary-folder.ts'
import { createCodec } from '../codec/create-codec.ts'
import type { StreamSettings } from '../engine.ts'
import { Forwarder } from '../rtp/forwarder.ts'
import { rtpHeaderBytes, writeRtpHeader } from '../rtp/rtp.ts'
import type { Receive, Udp } from '../socket/socket.ts'
import { PacedLoop, type LoopTime } from '../thread/paced-loop.ts'
import { Room } from './room.ts'
import { Stream } from './stream.ts'

const codec = createCodec('PCMA')
/** A lower level is the onset of another tone. */
const heard = 0.05

const settingsOf = (port: number): StreamSettings => ({
  remote: { address: '192.0.2.7', port },
  alsoFrom: [],
  codec: 'PCMA',
  payloadType: 8,
  dtmfPayloadType: 101,
  ptimeMs: 20,
  send: true,
  receive: true,
  srtp: undefined,
})

/** Two phones in a room. Time passes only while they talk; each sends the given tone, a packet every 20 ms. */
const startTalk = async (t: Scope) => {
  const { loop, pass, arrives } = startLoop()
  const forwarder = new Forwarder()
  const receives: Receive[] = []
  let forwarded = 0
  const udp: Udp = {
    kind: 'dgram',
    open: async (_address, port, receive) => {
      receives[port] = receive
      return { port, descriptor: undefined, connect() {}, aim() {}, send: () => void forwarded++, close() {}, release() {} }
    },
    poll() {},
    close() {},
  }
  const observer = { dtmf() {}, heard() {}, sound() {}, silent() {}, began() {}, played() {}, failed: assert.fail }
  const open = async (port: number): Promise<Stream> => {
    const silentAfterMs = { first: Infinity, later: Infinity }
    const stream = await Stream.open({ udp, address: '127.0.0.1', port, silentAfterMs, forwarder, frame: () => loop.frame, observer })
    stream.configure(settingsOf(port))
    return stream
  }
  const phones = [await open(4000), await open(4002)] as const
  const room = new Room(loop, forwarder)
  /** Runs it like a command of the thread. */
  const command = (work: () => unknown): void => {
    work()
    forwarder.changed()
  }
  for (const phone of phones) command(() => room.add(phone))
  t.after(() => {
    room.close()
    for (const phone of phones) {
      phone.close()
      loop.remove(phone)
    }
  })
  let tones: readonly number[] = []
  let sequence = 0
  arrives((nowMs) => {
    sequence++
    tones.forEach((hz, place) => {
      const bytes = packetOf(hz, sequence, 7 + place)
      const port = 4000 + 2 * place
      receives[port]?.(bytes, rtpHeaderBytes + 160, { address: '192.0.2.7', port }, nowMs)
    })
  })
  const talk = async (ms: number, said: readonly [number, number]): Promise<void> => {
    tones = said
    await pass(ms)
  }
  const path = join(await temporaryFolder(t), 'talk.wav')
  /** Seconds of a tone in the left and right channel of a recording of `meanwhile`. */
  const recorded = async (meanwhile: () => Promise<void>): Promise<(hz: number) => [number, number]> => {
    const { promise: done, resolve } = Promise.withResolvers<unknown>()
    command(() => room.record(1, path, 2, resolve))
    command(() => room.divide(1, new Set([phones[0]])))
    await meanwhile()
    command(() => room.stopRecording(1))
    await done
    const { channels, rate } = parseWav(await readFile(path))
    const [left = new Float32Array(), right = new Float32Array()] = channels
    return (hz) => [secondsOf(left, rate, hz, heard), secondsOf(right, rate, hz, heard)]
  }
  return { phones, talk, command, recorded, handedOn: () => forwarded }
}

/** A loop whose time passes only on request. */
const startLoop = () => {
  let nowMs = 0
  let untilMs = 0
  let passed = (): void => {}
  let arrive = (_nowMs: number): void => {}
  let frame = -1
  const time: LoopTime = {
    now: () => nowMs,
    sleep(_door, _seen, ms) {
      nowMs = Math.min(untilMs, nowMs + ms)
      if (nowMs === untilMs) passed()
    },
  }
  const receive = (): void => {
    if (Math.floor(nowMs / 20) === frame) return
    frame = Math.floor(nowMs / 20)
    arrive(nowMs)
  }
  const failed = (_: unknown, error: unknown): void => assert.fail(String(error))
  const loop = new PacedLoop({ receive, failed, door: new SharedArrayBuffer(4), receivesByEvents: true, time })
  const pass = (ms: number): Promise<void> => {
    untilMs += ms
    return new Promise((resolve) => (passed = resolve))
  }
  return { loop, pass, arrives: (work: (nowMs: number) => void) => (arrive = work) }
}

/** 20 ms with whole periods: repeated they form one tone. */
const toneOf = (hz: number): Int16Array => Int16Array.from({ length: 160 }, (_, i) => 16_000 * Math.sin((2 * Math.PI * hz * i) / 8000))

const packetOf = (hz: number, sequence: number, ssrc: number): Uint8Array => {
  const bytes = new Uint8Array(300)
  writeRtpHeader(bytes, 8, false, sequence, sequence * 160, ssrc)
  codec.encode(toneOf(hz), bytes, rtpHeaderBytes)
  return bytes
}

test('does not record a muted party from that moment on, even if its packets were only forwarded', async (t) => {
  const { phones, talk, command, recorded, handedOn: forwarded } = await startTalk(t)
  await talk(1000, [600, 1100])
  assert.ok(forwarded() >= 90)
  command(() => phones[0].mute(true))
  const muted = await recorded(() => talk(1000, [600, 1100]))
  assert.equal(muted(600)[0], 0)
  assert.ok(muted(1100)[1] > 0.8)
  const both = await recorded(async () => {
    await talk(500, [600, 1100])
    command(() => phones[0].mute(false))
    await talk(500, [600, 1100])
  })
  assert.ok(both(600)[0] > 0.3 && both(600)[0] < 0.5 && both(1100)[1] > 0.8)
})

test('does not record earlier sound, or sound of a muted party', async (t) => {
  const { phones, talk, command, recorded } = await startTalk(t)
  await recorded(() => talk(1000, [600, 1100]))
  await talk(300, [700, 1300])
  const later = await recorded(() => talk(500, [800, 1400]))
  for (const hz of [600, 1100, 700, 1300]) assert.deepEqual(later(hz), [0, 0], `${hz} Hz`)
  const muted = await recorded(async () => {
    await talk(500, [600, 1100])
    command(() => phones[0].mute(true))
    await talk(500, [700, 1100])
    command(() => phones[0].mute(false))
    await talk(500, [800, 1100])
  })
  assert.equal(muted(700)[0], 0)
  assert.ok(muted(800)[0] > 0.3 && muted(600)[0] <= 0.5)
})
