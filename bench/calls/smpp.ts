import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { realClock } from '#adapters/clock/clocks.ts'
import { connectSmpp } from '@offhook/smpp/client/client.ts'
import { messageFields } from '@offhook/smpp/pdu/pdu.ts'
import { SmppSession } from '@offhook/smpp/session/session.ts'
import { ask, npmEsme, npmSmpp, type NpmPdu } from '@offhook/smpp/testing/npm-smpp.ts'
import { startChild } from '../shared/child.ts'

/**
 * Messages per second of CPU time, kernel included, compared with npm smpp in the same run: as ESME (submits) and as SMSC (accepts).
 * The peer is another process and the same for both. The best of several turns counts, because other load only adds.
 */
const peer = join(import.meta.dirname, 'smpp-peer.ts')
const clock = realClock()
const count = 10_000
const window = 10
const turns = 4
const number = '491701234567'
const text = 'Your parcel arrives today between 10 and 12.'

/** Messages per second of Offhook's CPU time. */
const measured = async (run: () => Promise<void>): Promise<number> => {
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return (count / (user + system)) * 1e6
}

const inWindow = async (submit: () => Promise<void>): Promise<void> => {
  let left = count
  const chain = async (): Promise<void> => {
    while (left-- > 0) await submit()
  }
  await Promise.all(Array.from({ length: window }, chain))
}

/** Alternates both, so that other load on the machine affects both. */
const compare = async (ours: () => Promise<void>, theirs: () => Promise<void>): Promise<{ ours: number; npm: number }> => {
  await ours()
  await theirs()
  const best = { ours: 0, npm: 0 }
  for (let turn = 0; turn < turns; turn++) {
    best.ours = Math.max(best.ours, await measured(ours))
    best.npm = Math.max(best.npm, await measured(theirs))
  }
  return { ours: Math.round(best.ours), npm: Math.round(best.npm) }
}

const asEsme = async (): Promise<{ ours: number; npm: number }> => {
  const smsc = await startChild([peer])
  const port = Number(smsc.ready['port'])
  const socket = await connectSmpp({ host: '127.0.0.1', port, tls: false }, new AbortController().signal)
  const session = new SmppSession({ role: 'esme', socket, clock, window, message: async () => ({ status: 0 }) })
  await session.bind({ systemId: 'bench', password: 'bench' })
  const npm = await npmEsme(port)
  await ask(npm, 'bind_transceiver', { system_id: 'bench', password: 'bench' })
  const address = { ton: 1, npi: 1, value: number }
  const fields = {
    source_addr_ton: 1,
    source_addr_npi: 1,
    source_addr: number,
    dest_addr_ton: 1,
    dest_addr_npi: 1,
    destination_addr: number,
  }
  const result = await compare(
    () =>
      inWindow(async () => {
        await session.send(messageFields({ source: address, destination: address, registeredDelivery: 1, shortMessage: Buffer.from(text) }))
      }),
    () =>
      inWindow(async () => {
        const answer = await ask(npm, 'submit_sm', { ...fields, registered_delivery: 1, data_coding: 0, short_message: Buffer.from(text) })
        assert.equal(answer.command_status, 0)
      }),
  )
  session.destroy('done')
  npm.destroy()
  await smsc.stop()
  return result
}

/** Starts a process that submits to the server once per trigger. */
const loadOn = async (server: Server): Promise<{ once: () => Promise<void>; stop: () => void }> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const child = spawn(process.execPath, [peer, String(port), String(count), String(window)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  return {
    async once() {
      child.stdin.write('go\n')
      await once(lines, 'line')
    },
    stop() {
      child.kill()
      server.close()
    },
  }
}

const asSmsc = async (): Promise<{ ours: number; npm: number }> => {
  let id = 0
  const ours = createServer({ noDelay: true }, (socket) => {
    const message = async (): Promise<{ status: number; messageId: string }> => ({ status: 0, messageId: String(++id) })
    void new SmppSession({ role: 'smsc', socket, clock, bind: async () => ({ status: 0 }), message })
  })
  const theirs = npmSmpp.createServer((session) => {
    session.on('bind_transceiver', (pdu: NpmPdu) => session.send(pdu.response()))
    session.on('submit_sm', (pdu: NpmPdu) => session.send(pdu.response({ message_id: String(++id) })))
    session.on('enquire_link', (pdu: NpmPdu) => session.send(pdu.response()))
    session.on('error', () => {})
  })
  const [toOurs, toTheirs] = [await loadOn(ours), await loadOn(theirs)]
  const result = await compare(toOurs.once, toTheirs.once)
  toOurs.stop()
  toTheirs.stop()
  return result
}

const [esme, smsc] = [await asEsme(), await asSmsc()]
console.log(
  JSON.stringify({
    bench: 'smpp',
    window,
    submitsPerCpuSecond: esme.ours,
    npmSubmitsPerCpuSecond: esme.npm,
    takenPerCpuSecond: smsc.ours,
    npmTakenPerCpuSecond: smsc.npm,
  }),
)
