import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { dice } from '../../../../../test/support/dice.ts'
import { differentPixels, drawFaxPage, readFaxTiff, writeFaxTiff, type FaxPage } from '../../../../../test/support/fax-pages.ts'
import { needs } from '../../../../../test/support/peers/debian.ts'
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts'
import { withParity } from '../../../../../test/support/udptl-parity.ts'
import { G711 } from '../g711.ts'
import { rtpHeaderBytes, writeRtpHeader } from '../rtp.ts'
import { readWav } from '../wav.ts'
import type { FaxOutcome } from './engine.ts'
import { frameSamples } from './fax-rtp.ts'
import { FaxRun, type FaxLine } from './fax-run.ts'
import { loadSpandsp, type SpandspLibrary } from './spandsp.ts'
import { parseUdptl, UdptlWriter } from './udptl.ts'

const remote = { address: '127.0.0.1', port: 1 }
const audio: FaxLine = { kind: 'audio', remote, source: 'signalled', codec: 'PCMA' }
const t38: FaxLine = { kind: 't38', remote, source: 'signalled' }
const framesPerSecond = 50

/** One of two machines, with a line between them that is as fast as the computer. */
interface Machine {
  run: FaxRun
  events: string[]
  outcome: FaxOutcome | undefined
  /** On their way to the other. */
  sent: Uint8Array[]
}

const machine = (calling: boolean): Machine => {
  const events: string[] = []
  const sent: Uint8Array[] = []
  const observer = {
    settled: () => void events.push('settled'),
    page: (pages: number) => void events.push(`page ${pages}`),
    done: (outcome: FaxOutcome) => void (made.outcome = outcome),
  }
  const send = (bytes: Uint8Array): void => void sent.push(Uint8Array.from(bytes))
  const made: Machine = { run: new FaxRun({ library: loadSpandsp(), calling, send, observer }), events, outcome: undefined, sent }
  return made
}

type Way = (bytes: Uint8Array) => Uint8Array | undefined

interface Scene {
  caller: Machine
  called: Machine
  pages: FaxPage[]
  received(): Promise<FaxPage[]>
  /** Until both are done, or for so many seconds of line time. On its way a packet may become another one, or nothing. */
  pass: (seconds?: number, there?: Way, back?: Way) => number
}

const fileOf = (folder: string, name: string): string => join(folder, `${name}.tif`)

const threePages = (): FaxPage[] => [1, 2, 3].map((number) => drawFaxPage(number))

const prepare = async (t: TestContext, firstPage = 0, pages = threePages()): Promise<Scene> => {
  const folder = await temporaryFolder(t)
  await writeFaxTiff(fileOf(folder, 'sent'), pages)
  const caller = machine(true)
  const called = machine(false)
  t.after(() => [caller, called].map(({ run }) => run.close()))
  caller.run.start({ kind: 'send', file: fileOf(folder, 'sent'), firstPage, station: '+49 211 1', header: 'Offhook' })
  called.run.start({ kind: 'receive', file: fileOf(folder, 'received'), station: '+49 30 2' })
  const carry = (from: Machine, to: Machine, way: Way): void => {
    for (const bytes of from.sent.splice(0).map(way)) if (bytes) to.run.receive(bytes)
  }
  const pass = (seconds = 300, there: Way = (bytes) => bytes, back = there): number => {
    for (let frame = 1; frame <= seconds * framesPerSecond; frame++) {
      for (const { run } of [caller, called]) run.tick()
      carry(caller, called, there)
      carry(called, caller, back)
      if (caller.outcome && called.outcome) return frame / framesPerSecond
    }
    return seconds
  }
  return { caller, called, pages, received: () => readFaxTiff(t, fileOf(folder, 'received')), pass }
}

const assertSame = async (scene: Scene, firstPage = 0): Promise<void> => {
  const received = await scene.received()
  assert.deepEqual(
    received.map((page, index) => differentPixels(scene.pages[index + firstPage] ?? page, page)),
    scene.pages.slice(firstPage).map(() => 0),
  )
}

for (const line of [audio, { ...audio, codec: 'PCMU' as const }, t38]) {
  test(`three pages over ${line.kind === 't38' ? 'T.38' : line.codec}`, async (t) => {
    if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
    const scene = await prepare(t)
    const { caller, called, pass } = scene
    for (const { run } of [caller, called]) run.configure(line)
    const seconds = pass()
    const known = { code: 0, pages: 3, bitRate: 14_400, errorCorrection: true, carriedBy: line.kind }
    assert.deepEqual(caller.outcome, { ...known, station: '+49 30 2' })
    assert.deepEqual(called.outcome, { ...known, station: '+49 211 1' })
    assert.deepEqual(caller.events, ['settled', 'page 1', 'page 2', 'page 3'])
    assert.deepEqual(called.events, ['settled', 'page 1', 'page 2', 'page 3'])
    assert.ok(seconds > 20 && seconds < 60, `${seconds} s`)
    await assertSame(scene)
  })
}

test('a fax goes on at the first page that is missing', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const scene = await prepare(t, 1)
  for (const { run } of [scene.caller, scene.called]) run.configure(audio)
  scene.pass()
  assert.deepEqual([scene.caller.outcome?.code, scene.caller.outcome?.pages], [0, 2])
  await assertSame(scene, 1)
})

test('T.38 survives the loss of every tenth packet, and audio is given up honestly', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const roll = dice(7)
  const lossy: Way = (bytes) => (roll(10) > 0 ? bytes : undefined)
  const packets = await prepare(t)
  for (const { run } of [packets.caller, packets.called]) run.configure(t38)
  packets.pass(300, lossy)
  assert.deepEqual([packets.caller.outcome?.code, packets.called.outcome?.code], [0, 0])
  await assertSame(packets)
  const sound = await prepare(t)
  for (const { run } of [sound.caller, sound.called]) run.configure(audio)
  sound.pass(300, lossy)
  assert.notEqual(sound.caller.outcome?.code, 0)
  assert.equal(sound.caller.outcome?.pages, 0)
})

/** Says the same in packets with parity, and loses one in eight of them. */
const parityInstead = (seed: number): ((bytes: Uint8Array) => Uint8Array | undefined) => {
  const roll = dice(seed)
  const messages: Uint8Array[] = []
  return (bytes) => {
    const packet = parseUdptl(bytes)
    if (!packet) return undefined
    messages[packet.sequence] = packet.primary
    return roll(8) > 0 ? withParity(packet.sequence, (sequence) => messages[sequence] ?? new Uint8Array()) : undefined
  }
}

test('a far end that corrects errors by parity is understood', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const scene = await prepare(t)
  const { caller, called } = scene
  for (const { run } of [caller, called]) run.configure(t38)
  scene.pass(300, parityInstead(1), parityInstead(2))
  assert.deepEqual([caller.outcome?.code, called.outcome?.code], [0, 0])
  await assertSame(scene)
})

test('a line that becomes T.38 begins anew on both sides', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const scene = await prepare(t)
  const { caller, called } = scene
  for (const { run } of [caller, called]) run.configure(audio)
  scene.pass(5.5)
  assert.deepEqual([caller.events, caller.outcome], [[], undefined])
  called.run.configure(t38)
  scene.pass(0.3)
  caller.run.configure(t38)
  scene.pass()
  assert.deepEqual([caller.outcome?.code, caller.outcome?.carriedBy], [0, 't38'])
  await assertSame(scene)
})

test('with a page over there the line stays what it is', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const scene = await prepare(t)
  const { caller, called } = scene
  for (const { run } of [caller, called]) run.configure(audio)
  scene.pass(17)
  assert.ok(caller.events.includes('page 1'))
  for (const { run } of [caller, called]) run.configure(t38)
  scene.pass()
  assert.deepEqual([caller.outcome?.code, caller.outcome?.carriedBy, caller.outcome?.pages], [0, 'audio', 3])
  await assertSame(scene)
})

test('whoever hangs up in the middle knows what is over there, and has what came', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const scene = await prepare(t)
  const { caller, called } = scene
  for (const { run } of [caller, called]) run.configure(t38)
  scene.pass(300, (bytes) => (caller.events.includes('page 2') ? undefined : bytes))
  assert.deepEqual([caller.outcome?.code, caller.outcome?.pages], [21, 2])
  called.run.close()
  assert.equal(called.outcome?.pages, 2)
  const received = await scene.received()
  assert.equal(received.length, 2)
})

for (const line of [audio, t38]) {
  test(`whenever a line of ${line.kind} is cut, both sides notice`, async (t) => {
    if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
    for (let cut = 4; cut < 26; cut += 1.88) {
      const scene = await prepare(t)
      const { caller, called, pass } = scene
      for (const { run } of [caller, called]) run.configure(line)
      pass(cut)
      pass(120, () => undefined)
      assert.ok(caller.outcome && called.outcome, `cut after ${cut} s`)
      assert.ok(called.outcome.pages >= caller.outcome.pages, `cut after ${cut} s`)
    }
  })
}

test('silence answers: nothing is heard, and it is over after a minute', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const { caller, pass } = await prepare(t)
  caller.run.configure(audio)
  pass(70)
  assert.deepEqual(caller.events, [])
  assert.deepEqual(caller.outcome, { code: 2, pages: 0, bitRate: 0, errorCorrection: false, carriedBy: 'audio', station: '' })
})

/** What a human says, again and again. */
const voice = async (): Promise<() => Uint8Array> => {
  const { samples } = readWav(await readFile(join(import.meta.dirname, '../../../assets/prompts/de/voicemail-greeting.wav')))
  const codec = new G711('PCMA')
  let frame = 0
  return () => {
    const bytes = new Uint8Array(rtpHeaderBytes + frameSamples)
    const at = (frame * frameSamples) % (samples.length - frameSamples)
    writeRtpHeader(bytes, 8, false, frame, frame * frameSamples, 1)
    codec.encode(samples.subarray(at, at + frameSamples), bytes, rtpHeaderBytes)
    frame++
    return bytes
  }
}

test('a human answers or calls, and talks: no fax machine is heard, and it is over after a minute', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const { caller, called } = await prepare(t)
  const say = await voice()
  for (const { run } of [caller, called]) run.configure(audio)
  for (let frame = 0; frame < 65 * framesPerSecond; frame++) {
    const bytes = say()
    for (const { run } of [caller, called]) {
      run.receive(bytes)
      run.tick()
    }
  }
  const nothing = { pages: 0, bitRate: 0, errorCorrection: false, carriedBy: 'audio', station: '' }
  assert.deepEqual(
    [caller.outcome, called.outcome],
    [
      { ...nothing, code: 2 },
      { ...nothing, code: 48 },
    ],
  )
})

/** Little to say for each row, but something: more than one block of error correction. */
const endless = (height: number): FaxPage => {
  const bits = new Uint8Array(216 * height)
  for (let y = 0; y < height; y++) bits[y * 216 + ((y >> 1) % 216)] = 0xff
  return { width: 1728, height, bits }
}

test('a page that does not end is given up', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  for (const [height, code] of [
    [20_000, 0],
    [80_000, 49],
  ] as const) {
    const scene = await prepare(t, 0, [endless(height)])
    for (const { run } of [scene.caller, scene.called]) run.configure(t38)
    scene.pass(400)
    assert.equal(scene.called.outcome?.code, code, `${height} rows`)
  }
})

test('the first word over T.38 is heard, however late it comes', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const numbers: number[] = []
  const spandsp = loadSpandsp()
  const library: SpandspLibrary = {
    ...spandsp,
    t38_core_rx_ifp_packet(core, bytes, length, sequence) {
      numbers.push(sequence)
      return spandsp.t38_core_rx_ifp_packet(core, bytes, length, sequence)
    },
  }
  const observer = { settled: () => {}, page: () => {}, done: () => {} }
  const run = new FaxRun({ library, calling: true, send: () => {}, observer })
  t.after(() => run.close())
  run.start({ kind: 'receive', file: '/nowhere/received.tif', station: '' })
  run.configure(t38)
  const wait = (seconds: number): void => Array.from({ length: seconds * framesPerSecond }).forEach(() => run.tick())
  const writer = new UdptlWriter(0)
  wait(6)
  run.receive(writer.write(Uint8Array.of(6)))
  assert.deepEqual(numbers, [0])
  wait(6)
  run.receive(writer.write(Uint8Array.of(6)))
  assert.deepEqual(numbers, [0, 1, 2], 'in between it is told that nothing is signalled')
})

test('closed before it began, it has nothing to say', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const { caller } = await prepare(t)
  caller.run.close()
  assert.equal(caller.outcome?.code, undefined)
  assert.equal(caller.outcome?.pages, 0)
})
