// test: own process, real time
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
import type { FaxEvent } from './fax-run.ts'
import { loadSpandsp } from './spandsp.ts'
import { UdptlWriter } from './udptl.ts'

const address = '127.0.0.1'
const pages = [drawFaxPage(1), drawFaxPage(2)]

interface FaxHostFixture {
  host: FaxHost
  events: FaxEvent[]
  /** Advances the clock and runs everything that is due. */
  advance: (ms: number) => void
  /** The first of four ports. */
  port: number
  folder: string
}

/** Real sockets and a clock that runs as fast as the computer. */
const openFixture = async (t: TestContext): Promise<FaxHostFixture> => {
  const events: FaxEvent[] = []
  const udp = openKoffi()
  t.after(() => udp.close())
  let nowMs = 1000
  const host = new FaxHost({ library: loadSpandsp(), udp, notify: (event) => void events.push(event), now: () => nowMs })
  const advance = (ms: number): void => {
    nowMs += ms
    host.pass()
  }
  const folder = await temporaryFolder(t)
  await writeFaxTiff(join(folder, 'sent.tif'), pages)
  return { host, events, advance, port: await freePorts(t, 4), folder }
}

/** Fax 1 sends to fax 2. */
const begin = async ({ host, port, folder }: FaxHostFixture, kind: 'audio' | 't38'): Promise<void> => {
  const common = { alsoFrom: [], codec: 'PCMU' as const }
  await host.perform({ do: 'open', fax: 1, address, port, calling: true })
  await host.perform({ do: 'open', fax: 2, address, port: port + 1, calling: false })
  await host.perform({ do: 'configure', fax: 1, settings: { kind, remote: { address, port: port + 1 }, ...common } })
  await host.perform({ do: 'configure', fax: 2, settings: { kind, remote: { address, port }, ...common } })
  await host.perform({ do: 'start', fax: 2, job: { kind: 'receive', file: join(folder, 'received.tif'), station: '2' } })
  const sent = { file: join(folder, 'sent.tif'), firstPage: 0, station: '1', header: '' }
  await host.perform({ do: 'start', fax: 1, job: { kind: 'send', ...sent } })
}

const outcomes = ({ events }: FaxHostFixture): (number | undefined)[] =>
  events.flatMap((event) => (event.tell === 'done' ? event.outcome.code : []))

for (const kind of ['audio', 't38'] as const) {
  test(`over sockets by ${kind}, with an irregular clock`, async (t) => {
    if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
    const fixture = await openFixture(t)
    await begin(fixture, kind)
    for (let turn = 0; turn < 5000 && outcomes(fixture).length < 2; turn++) fixture.advance([5, 20, 31, 90, 17, 20][turn % 6] ?? 20)
    assert.deepEqual(outcomes(fixture), [0, 0])
    const received = await readFaxTiff(t, join(fixture.folder, 'received.tif'))
    assert.deepEqual(
      received.map((page, index) => differentPixels(pages[index] ?? page, page)),
      [0, 0],
    )
    for (const fax of [1, 2]) await fixture.host.perform({ do: 'close', fax })
    assert.ok(fixture.host.idle)
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

test('ignores unknown sources and sends them no packets', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const { host, port, folder, advance } = await openFixture(t)
  const peer = await openSocket(t, port + 1, address)
  const outsider = await openSocket(t, port + 2, '127.0.0.2')
  await host.perform({ do: 'open', fax: 1, address, port, calling: true })
  await host.perform({ do: 'start', fax: 1, job: { kind: 'receive', file: join(folder, 'received.tif'), station: '' } })
  const remote = { address, port: port + 1 }
  await host.perform({ do: 'configure', fax: 1, settings: { kind: 'audio', remote, alsoFrom: [], codec: 'PCMU' } })
  for (let turn = 0; turn < 30; turn++) {
    outsider.say(port)
    await new Promise(setImmediate)
    advance(20)
  }
  await until('packets of the fax', () => peer.heard >= 30 || undefined)
  assert.equal(outsider.heard, 0)
  await host.perform({ do: 'close', fax: 1 })
})

test('answers a single UDPTL packet at its source behind NAT', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const { host, port, folder, advance } = await openFixture(t)
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

test('does not open a port that another program uses', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2'))) return
  const { host, events, port } = await openFixture(t)
  const other = createSocket('udp4')
  t.after(() => other.close())
  other.bind(port, address)
  await once(other, 'listening')
  await host.perform({ do: 'open', fax: 1, address, port, calling: true })
  assert.deepEqual(events, [{ tell: 'opened', fax: 1, opened: false }])
})

test('an internal error ends only its own fax', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const fixture = await openFixture(t)
  await begin(fixture, 'audio')
  await fixture.host.perform({ do: 'open', fax: 3, address, port: fixture.port + 2, calling: true })
  await fixture.host.perform({ do: 'configure', fax: 3, settings: null as never })
  const last = fixture.events.at(-1)
  assert.ok(last?.tell === 'closed' && last.fax === 3)
  assert.match(last.failure ?? '', /TypeError/, 'it says why')
  for (let turn = 0; turn < 5000 && outcomes(fixture).length < 2; turn++) fixture.advance(20)
  assert.deepEqual(outcomes(fixture), [0, 0])
})

test('does not catch up on lost time after a long stall', async (t) => {
  if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
  const fixture = await openFixture(t)
  await begin(fixture, 'audio')
  fixture.advance(20)
  fixture.advance(3_600_000)
  fixture.advance(20)
  assert.deepEqual(outcomes(fixture), [])
})
