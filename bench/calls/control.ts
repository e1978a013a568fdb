import { createServer, Agent, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { readFile } from 'node:fs/promises'
import { sine } from '#media/sound/tone.ts'
import { wavFile } from '#media/sound/wav.ts'
import type { FirstRunNotes } from '#first-start/first-start.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { SipPhone, type PhoneCall } from '#test/phones/sip-phone.ts'
import { percentile } from '../shared/percentiles.ts'
import { openScope } from '../shared/scope.ts'

/**
 * Time until a command on a running call is on the wire. hold: from writing `PUT …/hold` to the socket until the re-INVITE is at a phone.
 * announcement: from writing `POST …/announcements` until the first packet with its sound is at a phone; the file is served by this machine.
 * `node bench/calls/control.ts [commands]`.
 */
const commands = Number(process.argv[2] ?? 100)
const warmUp = 20
const audible = 500
const announcementMs = 60
const timeoutMs = 5_000

const scope = openScope()

interface Talk {
  callId: string
  phones: { phone: SipPhone; call: PhoneCall }[]
}

/** Two silent phones of the account in a call. */
const talk = async (exchange: Exchange): Promise<Talk> => {
  const open = async () => {
    const { user, password, deviceId } = await exchange.newDevice()
    const phone = await SipPhone.open(scope, { server: exchange.sip, user, password })
    await phone.register()
    return { phone, deviceId }
  }
  const [caller, called] = [await open(), await open()]
  const call = caller.phone.call(called.deviceId)
  const incoming = await called.phone.incoming()
  await called.phone.accept(incoming)
  await call.answered
  const { callId = '' } = (await exchange.admin.listCalls()).data[0] ?? {}
  return {
    callId,
    phones: [
      { phone: caller.phone, call },
      { phone: called.phone, call: incoming.call },
    ],
  }
}

const serveTone = async (): Promise<string> => {
  const file = wavFile(sine([1000], announcementMs, 8000, -6), 8000)
  const server = createServer((_request, reply) => void reply.end(file))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  scope.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

const agent = new Agent({ keepAlive: true })
scope.after(() => agent.destroy())

/** Returns the times of the write and of the response. */
const commander = (exchange: Exchange, token: string, callId: string) => (method: string, what: string, body: object) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const { promise: answered, resolve, reject } = Promise.withResolvers<void>()
  const sent = request(`${exchange.http}/v2/calls/${callId}/${what}`, { method, headers, agent, timeout: timeoutMs }, (reply) => {
    reply.resume().once('end', () => (reply.statusCode === 204 ? resolve() : reject(new Error(`${what}: ${reply.statusCode}`))))
  })
  sent.once('error', reject).once('timeout', () => sent.destroy(new Error(`${what}: no answer`)))
  const at = performance.now()
  sent.end(JSON.stringify(body))
  return { at, answered }
}

type Command = ReturnType<typeof commander>

const holdTimes = async (command: Command, { phones }: Talk): Promise<number[]> => {
  const times: number[] = []
  for (let nth = 0; nth < commands + warmUp; nth++) {
    const { at, answered } = command('PUT', 'hold', { value: nth % 2 === 0 })
    const arrivals = phones.map(async ({ call }) => {
      await call.offers.next()
      return performance.now() - at
    })
    await answered
    times.push(Math.max(...(await Promise.all(arrivals))))
  }
  return times.slice(warmUp)
}

const announcementTimes = async (command: Command, { phones }: Talk, address: string): Promise<number[]> => {
  const times: number[] = []
  const url = `http://${address}/tone.wav`
  for (let nth = 0; nth < commands + warmUp; nth++) {
    const heard = phones.map(({ phone }) => firstSound(phone))
    const { at, answered } = command('POST', 'announcements', { url })
    await answered
    times.push(Math.max(...(await Promise.all(heard))) - at)
    for (const { phone } of phones) await phone.rtp.until(() => phone.rtp.recent(40).every((sample) => Math.abs(sample) < audible))
    // Random delay, so commands are not in step with the 20 ms packets.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 20))
  }
  return times.slice(warmUp)
}

const firstSound = ({ rtp }: SipPhone): Promise<number> =>
  new Promise((resolve) => {
    rtp.onHeard = (samples, atMs) => {
      if (!samples.some((sample) => Math.abs(sample) > audible)) return
      rtp.onHeard = () => {}
      resolve(atMs)
    }
  })

const figures = (times: readonly number[]) => ({ p50Ms: percentile(times, 0.5), p95Ms: percentile(times, 0.95) })

try {
  const address = await serveTone()
  const exchange = await startExchange(scope, { OFFHOOK_SPEECH: 'off', OFFHOOK_RATE_LIMIT: '0', OFFHOOK_EGRESS_ALLOW: address })
  const { token } = JSON.parse(await readFile(join(exchange.data, 'first-run.json'), 'utf8')) as FirstRunNotes
  const scene = await talk(exchange)
  const command = commander(exchange, token ?? '', scene.callId)
  const hold = figures(await holdTimes(command, scene))
  const announcement = figures(await announcementTimes(command, scene, address))
  console.log(JSON.stringify({ bench: 'control', commands, hold, announcement }))
} finally {
  await scope.end()
}
