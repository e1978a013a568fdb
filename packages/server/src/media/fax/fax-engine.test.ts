// test: own process, real time
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { drawFaxPage, writeFaxTiff } from '#test/fax/fax-pages.ts'
import { needs } from '#test/peers/debian.ts'
import { freePorts } from '#test/machine/free-ports.ts'
import { until } from '#test/machine/peer-process.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'
import { PortPool } from '../socket/port-pool.ts'
import type { FaxEngine, FaxEngineSettings, FaxStream } from './engine.ts'
import { startFaxEngine } from './fax-engine.ts'

interface FaxEngineFixture {
  engine: FaxEngine
  pids: number[]
  deaths: string[]
  port: number
  /** Starts sending to an address without a listener. */
  send: (stream: FaxStream) => ReturnType<FaxStream['send']>
}

const openFixture = async (t: TestContext, settings: Partial<FaxEngineSettings> = {}): Promise<FaxEngineFixture> => {
  const port = (await freePorts(t, 22)) + 1
  const file = join(await temporaryFolder(t), 'sent.tif')
  await writeFaxTiff(file, [drawFaxPage(1)])
  const pids: number[] = []
  const deaths: string[] = []
  const engine = startFaxEngine({
    address: '127.0.0.1',
    ports: new PortPool({ first: port - (port % 2), last: port + 20 }),
    processStarted: (pid) => void pids.push(pid),
    processDied: (why) => void deaths.push(why),
    ...settings,
  })
  t.after(() => engine.close())
  const send = (stream: FaxStream): ReturnType<FaxStream['send']> => {
    stream.audio({ remote: { address: '127.0.0.1', port: 9 }, alsoFrom: [], codec: 'PCMA' })
    return stream.send({ file, firstPage: 0, station: '1', header: '' })
  }
  return { engine, pids, deaths, port, send }
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const ended = (pid: number): Promise<true> => until(`the end of ${pid}`, () => !isRunning(pid) || undefined)

const signal = (pid: number | undefined, name: NodeJS.Signals): void => {
  assert.ok(pid !== undefined)
  process.kill(pid, name)
}

describe('fax processes', { concurrency: 2 }, () => {
  test('starts a process with the first fax and ends it when idle', async (t) => {
    if (!(await needs(t, 'libspandsp.so.2'))) return
    const { engine, pids, deaths } = await openFixture(t, { idleMs: 20 })
    assert.equal(engine.missing, undefined)
    assert.equal(pids.length, 0)
    const stream = await engine.open(true)
    assert.equal(pids.length, 1)
    await stream.close()
    await ended(pids[0] ?? 0)
    const next = await engine.open(true)
    assert.equal(pids.length, 2)
    await next.close()
    assert.deepEqual(deaths, [])
  })

  test('a dying process ends only its own faxes', async (t) => {
    if (!(await needs(t, 'libspandsp.so.2'))) return
    const { engine, pids, deaths, send } = await openFixture(t, { faxesPerProcess: 2 })
    const streams = [await engine.open(true), await engine.open(true), await engine.open(true)]
    assert.equal(pids.length, 2)
    const outcomes = streams.map(send)
    signal(pids[0], 'SIGSEGV')
    const lost = { code: undefined, pages: 0, bitRate: 0, errorCorrection: false, carriedBy: 'audio', station: '' }
    assert.deepEqual(await Promise.all(outcomes.slice(0, 2)), [lost, lost])
    assert.deepEqual(deaths, ['it ended with SIGSEGV'])
    // Commands to a dead process are ignored, and the next fax gets a new one.
    streams[0]?.t38({ remote: { address: '127.0.0.1', port: 9 }, alsoFrom: [] })
    await streams[0]?.close()
    await streams[2]?.close()
    assert.deepEqual(await outcomes[2], { ...lost, code: 49 })
    await (await engine.open(false)).close()
  })

  test('kills a process that hangs', async (t) => {
    if (!(await needs(t, 'libspandsp.so.2'))) return
    const { engine, pids, deaths, send } = await openFixture(t, { watch: { intervalMs: 50, misses: 60 } })
    const outcome = send(await engine.open(true))
    signal(pids[0], 'SIGSTOP')
    assert.equal((await outcome).code, undefined)
    assert.deepEqual(deaths, ['it did not answer any more'])
  })

  test('closes the engine although a process hangs', async (t) => {
    if (!(await needs(t, 'libspandsp.so.2'))) return
    const { engine, pids, deaths, send } = await openFixture(t, { endMs: 100, watch: { intervalMs: 60_000, misses: 5 } })
    const outcome = send(await engine.open(true))
    signal(pids[0], 'SIGSTOP')
    await engine.close()
    assert.equal((await outcome).code, undefined)
    assert.deepEqual([deaths, isRunning(pids[0] ?? 0)], [[], false])
  })

  test('SIGINT and SIGTERM to all processes do not end a fax', async (t) => {
    if (!(await needs(t, 'libspandsp.so.2'))) return
    const { engine, pids, deaths, send } = await openFixture(t)
    const stream = await engine.open(true)
    const outcome = send(stream)
    signal(pids[0], 'SIGINT')
    signal(pids[0], 'SIGTERM')
    await (await engine.open(true)).close()
    await stream.close()
    assert.deepEqual([(await outcome).code, deaths, pids.length], [49, [], 1])
  })

  test('retries after a process failed to start', async (t) => {
    if (!(await needs(t, 'libspandsp.so.2'))) return
    const { engine, deaths } = await openFixture(t)
    const node = process.execPath
    process.execPath = '/nowhere/node'
    const refused = engine.open(true)
    process.execPath = node
    await assert.rejects(refused, { name: 'FaxUnavailable', message: /ENOENT/ })
    assert.equal(deaths.length, 1)
    await (await engine.open(true)).close()
  })

  test('a fax that never began ends with the engine', async (t) => {
    if (!(await needs(t, 'libspandsp.so.2'))) return
    const { engine } = await openFixture(t)
    const stream = await engine.open(false)
    const outcome = stream.receive({ file: '/nowhere/received.tif', station: '' })
    await engine.close()
    assert.equal((await outcome).code, undefined)
    await assert.rejects(engine.open(true), { name: 'FaxUnavailable' })
  })

  test('skips ports in use, and throws MediaFull when none is left', async (t) => {
    if (!(await needs(t, 'libspandsp.so.2'))) return
    const { engine, port } = await openFixture(t)
    const first = port - (port % 2)
    const other = createSocket('udp4')
    t.after(() => other.close())
    other.bind(first, '127.0.0.1')
    await once(other, 'listening')
    const streams: FaxStream[] = []
    await assert.rejects(
      async () => {
        for (;;) streams.push(await engine.open(true))
      },
      { name: 'MediaFull' },
    )
    assert.ok(streams.length >= 9 && !streams.some(({ localPort }) => localPort === first || localPort % 2 === 1))
  })
})
