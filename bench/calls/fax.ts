import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { FaxEngine, FaxOutcome, FaxStream } from '#media/fax/engine.ts'
import { startFaxEngine } from '#media/fax/fax-engine.ts'
import { callDropped } from '#media/fax/t30.ts'
import { PortPool } from '#media/socket/port-pool.ts'
import { drawFaxPage, writeFaxTiff } from '#test/fax/fax-pages.ts'
import { cpuSeconds, residentMegabytes } from '../shared/child.ts'

/**
 * CPU per running fax, separately for sending and receiving: eight in each of two processes, in real time, from the first page on.
 * `node bench/calls/fax.ts [audio|t38]`.
 */
const faxes = 8
const goalPercent = 1
const settleMs = 15_000
const measureMs = 8_000
const address = '127.0.0.1'

interface Side {
  engine: FaxEngine
  pid: () => number
}

const openSide = (first: number): Side => {
  let started = 0
  const engine = startFaxEngine({ address, ports: new PortPool({ first, last: first + 99 }), processStarted: (pid) => (started = pid) })
  return { engine, pid: () => started }
}

const connect = (stream: FaxStream, other: FaxStream, kind: 'audio' | 't38'): void => {
  const remote = { address, port: other.localPort }
  if (kind === 't38') stream.t38({ remote, alsoFrom: [] })
  else stream.audio({ remote, alsoFrom: [], codec: 'PCMA' })
}

const beginFax = async (
  kind: 'audio' | 't38',
  sender: Side,
  receiver: Side,
  folder: string,
  index: number,
): Promise<Promise<FaxOutcome>[]> => {
  const from = await sender.engine.open(true)
  const to = await receiver.engine.open(false)
  connect(from, to, kind)
  connect(to, from, kind)
  const received = to.receive({ file: join(folder, `${index}.tif`), station: '2' })
  return [from.send({ file: join(folder, 'sent.tif'), firstPage: 0, station: '1', header: '' }), received]
}

const percentPerFax = (cpu: number, seconds: number): number => Number((((cpu / seconds) * 100) / faxes).toFixed(2))

const measure = async (kind: 'audio' | 't38'): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'offhook-bench-'))
  await writeFaxTiff(join(folder, 'sent.tif'), [drawFaxPage(3, 20_000)])
  const sender = openSide(42_000)
  const receiver = openSide(42_200)
  const outcomes: Promise<FaxOutcome>[] = []
  for (let index = 0; index < faxes; index++) outcomes.push(...(await beginFax(kind, sender, receiver, folder, index)))
  await pause(settleMs)
  const pids = [sender.pid(), receiver.pid()]
  const before = pids.map(cpuSeconds)
  const from = performance.now()
  await pause(measureMs)
  const seconds = (performance.now() - from) / 1000
  const [sending = 0, receiving = 0] = pids.map((pid, index) => percentPerFax(cpuSeconds(pid) - (before[index] ?? 0), seconds))
  const megabytes = pids.map(residentMegabytes)
  await Promise.all([sender.engine.close(), receiver.engine.close()])
  const interrupted = (await Promise.all(outcomes)).filter(({ code }) => code === callDropped).length
  console.log(
    JSON.stringify({
      bench: 'fax',
      what: kind,
      faxes: faxes * 2,
      cpuPercentPerFaxSending: sending,
      cpuPercentPerFaxReceiving: receiving,
      goal: goalPercent,
      megabytesPerProcess: Math.max(...megabytes),
      stillRunning: interrupted,
    }),
  )
  await rm(folder, { recursive: true })
}

const [wanted] = process.argv.slice(2)
for (const kind of ['audio', 't38'] as const) if (wanted === undefined || wanted === kind) await measure(kind)
