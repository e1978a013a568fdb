import assert from 'node:assert/strict'
import { join } from 'node:path'
import { suite, test, type TestContext } from 'node:test'
import { startFaxEngine } from '#media/fax/fax-engine.ts'
import type { FaxResult } from '#core/kernel/ports/messages.ts'
import type { FaxOutcome } from '#media/fax/engine.ts'
import { PortPool } from '#media/socket/port-pool.ts'
import { FaxMachine } from '#test/fax/fax-machine.ts'
import { differentPixels, drawFaxPage, readFaxTiff, writeFaxTiff } from '#test/fax/fax-pages.ts'
import { needs } from '#test/peers/debian.ts'
import { startRtpengine } from '#test/peers/rtpengine.ts'
import { gatewayWay, lossyWay, type T38Way } from '#test/fax/t38-ways.ts'
import { Office, plainDial } from '#test/phones/telephone-office.ts'
import { temporaryFolder } from '#test/machine/temporary-folder.ts'

const number = '+493023125099'
const pages = [drawFaxPage(1, 2200), drawFaxPage(2, 2200)]

const openPapers = async (t: TestContext) => {
  const folder = await temporaryFolder(t)
  const [sent, received] = [join(folder, 'sent.tif'), join(folder, 'received.tif')]
  await writeFaxTiff(sent, pages)
  return {
    toSend: { file: sent, firstPage: 0, station: '+49 30 1', header: '' },
    toReceive: { file: received, station: '+49 30 2' },
    async arrived(): Promise<void> {
      const there = await readFaxTiff(t, received)
      assert.equal(there.length, pages.length)
      for (const [index, page] of pages.entries()) assert.equal(differentPixels(page, there[index] ?? page), 0, `page ${index + 1}`)
    },
  }
}

const openEngine = (t: TestContext) => {
  const engine = startFaxEngine({ address: '127.0.0.1', ports: new PortPool({ first: 30_000, last: 34_999 }) })
  t.after(() => engine.close())
  return engine
}

const isWhole = ({ code, pages: count, carriedBy }: FaxOutcome | FaxResult, by: 't38' | 'audio'): void =>
  assert.deepEqual({ code, count, carriedBy }, { code: 0, count: pages.length, carriedBy: by })

/** Sends to a machine behind a carrier. */
const sendTo = async (t: TestContext, t38: T38Way | undefined, machineBy: 't38' | 'audio'): Promise<void> => {
  const office = await Office.open(t)
  const { phone, trunkId } = await office.carrier('127.0.0.2')
  const machine = new FaxMachine(phone, openEngine(t), t38)
  const papers = await openPapers(t)
  const there = machine.receive(papers.toReceive)
  const [leg] = await office.telephony.dialFax({ kind: 'trunk', trunkId, number, emergency: false }, plainDial)
  assert.ok(leg)
  const counted: number[] = []
  const result = await leg.send(papers.toSend, { page: (count) => counted.push(count) })
  isWhole(result, t38 ? 't38' : 'audio')
  assert.deepEqual([result.station, result.errorCorrection, counted], ['+49 30 2', true, [1, 2]])
  assert.deepEqual((await leg.ended).cause, 'normal')
  isWhole(await there, machineBy)
  await papers.arrived()
  assert.deepEqual(office.failures, [])
}

/** Receives from a machine on a device of the service. */
const receiveFrom = async (t: TestContext, t38: T38Way | undefined, options: { machineBy: 't38' | 'audio'; t38First?: boolean }) => {
  const office = await Office.open(t)
  const { phone } = await office.phone({ registered: false })
  const machine = new FaxMachine(phone, openEngine(t), t38)
  const papers = await openPapers(t)
  const there = machine.send(number, papers.toSend, options)
  const { leg } = await office.incoming()
  const result = await leg.asFax().receive(papers.toReceive)
  isWhole(result, t38 ? 't38' : 'audio')
  assert.equal(result.station, '+49 30 1')
  assert.equal((await leg.ended).cause, 'normal')
  isWhole(await there, options.machineBy)
  await papers.arrived()
  assert.deepEqual(office.failures, [])
  return machine
}

suite('faxes over T.38, side by side', { concurrency: true }, () => {
  test('sends to a machine behind a gateway (rtpengine), which switches to T.38', async (t) => {
    if (!(await needs(t, 'rtpengine', 'libspandsp.so.2', 'tiffcp'))) return
    await sendTo(t, gatewayWay((await startRtpengine(t)).controlPort), 'audio')
  })

  test('receives from a machine behind a gateway (rtpengine), and switches to T.38', async (t) => {
    if (!(await needs(t, 'rtpengine', 'libspandsp.so.2', 'tiffcp'))) return
    const machine = await receiveFrom(t, gatewayWay((await startRtpengine(t)).controlPort), { machineBy: 'audio' })
    assert.deepEqual(machine.offered, ['image'])
  })

  test('sends every pixel despite 10 % packet loss', async (t) => {
    if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
    const way = await lossyWay(t, 1)
    await sendTo(t, way, 't38')
    assert.ok(way.lost() > 20, `only ${way.lost()} were lost`)
  })

  test('receives every pixel despite 10 % packet loss, from a machine that starts with T.38', async (t) => {
    if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
    const way = await lossyWay(t, 2)
    const machine = await receiveFrom(t, way, { machineBy: 't38', t38First: true })
    assert.deepEqual(machine.offered, [])
    assert.ok(way.lost() > 20, `only ${way.lost()} were lost`)
  })

  test('receives in audio from a machine that rejects T.38', async (t) => {
    if (!(await needs(t, 'libspandsp.so.2', 'tiffcp'))) return
    const machine = await receiveFrom(t, undefined, { machineBy: 'audio' })
    assert.deepEqual(machine.offered, ['image'])
  })
})
