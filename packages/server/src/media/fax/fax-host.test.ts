import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { differentPixels, drawFaxPage, readFaxTiff, writeFaxTiff } from '#test/fax/fax-pages.ts'
import { needs } from '#test/peers/debian.ts'
import { freePorts } from '#test/machine/free-ports.ts'
import { until } from '#test/machine/peer-process.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { openKoffi } from '../socket/socket-koffi.ts'
import { FaxHost } from './fax-host.ts'
import type { FaxEvent } from './fax-protocol.ts'
import { loadSpandsp } from './spandsp.ts'
import { UdptlWriter } from './udptl.ts'

const address = '127.0.0.1'
const pages = [drawFaxPage(1), drawFaxPage(2)]

interface Stage {
  host: FaxHost
  events: FaxEvent[]
  /** The clock goes on by so much, and everything that is due happens. */
  advance: (ms: number) => void
  /** Four ports. */
  port: number
  folder: string
}

/** Real sockets and a clock that runs as fast as the computer. */
const stage = async (t: TestContext): Promise<Stage> => {
  const events: FaxEvent[] = []
  const udp = openKoffi()
  t.after(() => udp.close())
  let nowMs = 1000
  const host = new FaxHost({ library: loadSpandsp(), udp, tell: (event) => void events.push(event), now: () => nowMs })
  const advance = (ms: number): void => {
    nowMs += ms
    host.pass()
  }
  const folder = await temporaryFolder(t)
  await writeFaxTiff(join(folder, 'sent.tif'), pages)
  return { host, events, advance, port: await freePorts(t, 4), folder }
}

/** Fax 1 sends to fax 2. */
const begin = async ({ host, port, folder }: Stage, kind: 'audio' | 't38'): Promise<void> => {
  const common = { alsoFrom: [], codec: 'PCMU' as const }
  await host.perform({ do: 'open', fax: 1, address, port, calling: true })
  await host.perform({ do: 'open', fax: 2, address, port: port + 1, calling: false })
  await host.perform({ do: 'configure', fax: 1, settings: { kind, remote: { address, port: port + 1 }, ...common } })
  await host.perform({ do: 'configure', fax: 2, settings: { kind, remote: { address, port }, ...common } })
  await host.perform({ do: 'start', fax: 2, job: { kind: 'receive', file: join(folder, 'received.tif'), station: '2' } })
  const sent = { file: join(folder, 'sent.tif'), firstPage: 0, station: '1', header: '' }
  await host.perform({ do: 'start', fax: 1, job: { kind: 'send', ...sent } })
}

const outcomes = ({ events }: Stage): (number | undefined)[] => events.flatMap((event) => (event.tell === 'done' ? event.outcome.code : []))

for (const kind of ['audio', 't38'] as const) {
  test(`over sockets by ${kind}, with a clock that stumbles`, async (t) => {
    if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
    const scene = await stage(t)
    await begin(scene, kind)
    for (let turn = 0; turn < 5000 && outcomes(scene).length < 2; turn++) scene.advance([5, 20, 31, 90, 17, 20][turn % 6] ?? 20)
    assert.deepEqual(outcomes(scene), [0, 0])
    const received = await readFaxTiff(t, join(scene.folder, 'received.tif'))
    assert.deepEqual(
      received.map((page, index) => differentPixels(pages[index] ?? page, page)),
      [0, 0],
    )
    for (const fax of [1, 2]) await scene.host.perform({ do: 'close', fax })
    assert.ok(scene.host.idle)
  })
}

interface Peer {
  heard: number
  say: (to: number, packet?: Uint8Array) => void
}

const openSocket = async (t: TestContext, port: number, at: string): Promise<Peer> => {
  const socket = createSocket('udp4')
  t.after(() => socket.close())
  socket.bind(port, at)
  await once(socket, 'listening')
  const rtp = Uint8Array.from({ length: 172 }, (_, index) => [0x80, 0, 0, 1][index] ?? 0x55)
  const one = { heard: 0, say: (to: number, packet: Uint8Array = rtp): void => socket.send(packet, to, address) }
  socket.on('message', () => one.heard++)
  return one
}

test('strangers are not listened to, and nothing is said to them', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const { host, port, folder, advance } = await stage(t)
  const peer = await openSocket(t, port + 1, address)
  const stranger = await openSocket(t, port + 2, '127.0.0.2')
  await host.perform({ do: 'open', fax: 1, address, port, calling: true })
  await host.perform({ do: 'start', fax: 1, job: { kind: 'receive', file: join(folder, 'received.tif'), station: '' } })
  const remote = { address, port: port + 1 }
  await host.perform({ do: 'configure', fax: 1, settings: { kind: 'audio', remote, alsoFrom: [], codec: 'PCMU' } })
  for (let turn = 0; turn < 30; turn++) {
    stranger.say(port)
    await new Promise(setImmediate)
    advance(20)
  }
  await until('packets of the fax', () => peer.heard >= 30 || undefined)
  assert.equal(stranger.heard, 0)
  await host.perform({ do: 'close', fax: 1 })
})

test('behind NAT, who says one word over UDPTL is answered where it came from', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const { host, port, folder, advance } = await stage(t)
  const signalled = await openSocket(t, port + 1, address)
  const translated = await openSocket(t, port + 2, '127.0.0.2')
  await host.perform({ do: 'open', fax: 1, address, port, calling: false })
  await host.perform({ do: 'start', fax: 1, job: { kind: 'receive', file: join(folder, 'received.tif'), station: '' } })
  const remote = { address, port: port + 1 }
  await host.perform({ do: 'configure', fax: 1, settings: { kind: 't38', remote, alsoFrom: ['127.0.0.2'] } })
  translated.say(port, new UdptlWriter(0).write(Uint8Array.of(2)))
  for (let turn = 0; turn < 200; turn++) {
    await new Promise(setImmediate)
    advance(20)
  }
  await until('an answer', () => translated.heard > 3 || undefined)
  assert.ok(signalled.heard <= 3, 'the tone at the beginning at most')
  await host.perform({ do: 'close', fax: 1 })
})

test('a port that belongs to somebody else is not opened', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2'))) return
  const { host, events, port } = await stage(t)
  const other = createSocket('udp4')
  t.after(() => other.close())
  other.bind(port, address)
  await once(other, 'listening')
  await host.perform({ do: 'open', fax: 1, address, port, calling: true })
  assert.deepEqual(events, [{ tell: 'opened', fax: 1, opened: false }])
})

test('what cannot be done ends that fax, and no other', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const scene = await stage(t)
  await begin(scene, 'audio')
  await scene.host.perform({ do: 'open', fax: 3, address, port: scene.port + 2, calling: true })
  await scene.host.perform({ do: 'configure', fax: 3, settings: null as never })
  const last = scene.events.at(-1)
  assert.ok(last?.tell === 'closed' && last.fax === 3)
  assert.match(last.failure ?? '', /TypeError/, 'it says why')
  for (let turn = 0; turn < 5000 && outcomes(scene).length < 2; turn++) scene.advance(20)
  assert.deepEqual(outcomes(scene), [0, 0])
})

test('whoever stood still for long does not hurry after what is lost', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const scene = await stage(t)
  await begin(scene, 'audio')
  scene.advance(20)
  scene.advance(3_600_000)
  scene.advance(20)
  assert.deepEqual(outcomes(scene), [])
})
