// test: own process, real time
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dice } from '#test/chance/dice.ts'
import { differentPixels } from '#test/fax/fax-pages.ts'
import { audioSettings, framesPerSecond, startFaxPair, t38Settings, type FaxPair, type Way } from '#test/fax/fax-pair.ts'
import { needs } from '#test/peers/debian.ts'
import { withParity } from '#test/fax/udptl-parity.ts'
import { FaxRun } from './fax-run.ts'
import { loadSpandsp, type SpandspLibrary } from './spandsp.ts'
import { parseUdptl, UdptlWriter } from './udptl.ts'

const assertSame = async (scene: FaxPair, firstPage = 0): Promise<void> => {
  const received = await scene.received()
  assert.deepEqual(
    received.map((page, index) => differentPixels(scene.pages[index + firstPage] ?? page, page)),
    scene.pages.slice(firstPage).map(() => 0),
  )
}

for (const line of [audioSettings, { ...audioSettings, codec: 'PCMU' as const }, t38Settings]) {
  test(`three pages over ${line.kind === 't38' ? 'T.38' : line.codec}`, async (t) => {
    if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
    const scene = await startFaxPair(t)
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

test('resumes at the first missing page', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const scene = await startFaxPair(t, 1)
  for (const { run } of [scene.caller, scene.called]) run.configure(audioSettings)
  scene.pass()
  assert.deepEqual([scene.caller.outcome?.code, scene.caller.outcome?.pages], [0, 2])
  await assertSame(scene, 1)
})

test('reports the bit rate of a fax machine cut off within its first page', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const { caller, called, pass } = await startFaxPair(t)
  for (const { run } of [caller, called]) run.configure(audioSettings)
  for (let seconds = 0; seconds < 60 && !caller.events.includes('settled'); seconds++) pass(1)
  for (const { run } of [caller, called]) run.close()
  for (const { outcome } of [caller, called]) assert.deepEqual([outcome?.code, outcome?.pages, outcome?.bitRate], [49, 0, 14_400])
})

test('T.38 survives the loss of every tenth packet; audio fails and reports it', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const roll = dice(7)
  const lossy: Way = (bytes) => (roll(10) > 0 ? bytes : undefined)
  const packets = await startFaxPair(t)
  for (const { run } of [packets.caller, packets.called]) run.configure(t38Settings)
  packets.pass(300, lossy)
  assert.deepEqual([packets.caller.outcome?.code, packets.called.outcome?.code], [0, 0])
  await assertSame(packets)
  const sound = await startFaxPair(t)
  for (const { run } of [sound.caller, sound.called]) run.configure(audioSettings)
  sound.pass(300, lossy)
  assert.notEqual(sound.caller.outcome?.code, 0)
  assert.equal(sound.caller.outcome?.pages, 0)
})

/** Sends the same messages in packets with parity, and loses one in eight. */
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

test('recovers packets of a far end with parity FEC', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const scene = await startFaxPair(t)
  const { caller, called } = scene
  for (const { run } of [caller, called]) run.configure(t38Settings)
  scene.pass(300, parityInstead(1), parityInstead(2))
  assert.deepEqual([caller.outcome?.code, called.outcome?.code], [0, 0])
  await assertSame(scene)
})

test('restarts on both sides when a line switches to T.38', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const scene = await startFaxPair(t)
  const { caller, called } = scene
  for (const { run } of [caller, called]) run.configure(audioSettings)
  scene.pass(5.5)
  assert.deepEqual([caller.events, caller.outcome], [[], undefined])
  called.run.configure(t38Settings)
  scene.pass(0.3)
  caller.run.configure(t38Settings)
  scene.pass()
  assert.deepEqual([caller.outcome?.code, caller.outcome?.carriedBy], [0, 't38'])
  await assertSame(scene)
})

test('keeps its transport once a page is delivered', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const scene = await startFaxPair(t)
  const { caller, called } = scene
  for (const { run } of [caller, called]) run.configure(audioSettings)
  scene.pass(17)
  assert.ok(caller.events.includes('page 1'))
  for (const { run } of [caller, called]) run.configure(t38Settings)
  scene.pass()
  assert.deepEqual([caller.outcome?.code, caller.outcome?.carriedBy, caller.outcome?.pages], [0, 'audio', 3])
  await assertSame(scene)
})

test('hears the first T.38 message, however late it arrives', async (t) => {
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
  run.configure(t38Settings)
  const wait = (seconds: number): void => Array.from({ length: seconds * framesPerSecond }).forEach(() => run.tick())
  const writer = new UdptlWriter(0)
  wait(6)
  run.receive(writer.write(Uint8Array.of(6)))
  assert.deepEqual(numbers, [0])
  wait(6)
  run.receive(writer.write(Uint8Array.of(6)))
  assert.deepEqual(numbers, [0, 1, 2], 'in between it is told that nothing is signalled')
})
