import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { needs } from '#test/peers/debian.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { until } from '#test/machine/peer-process.ts'
import { assertSucceeded, sippSucceeds, startSipp, type Sipp, type SippOptions } from '#test/peers/sipp.ts'

const offices = ['127.0.0.71', '127.0.0.72']
const customer = '127.0.0.73'
const phones = 40

test('handles many messages from one address', async (t) => {
  if (!(await needs(t, 'sipp'))) return
  const exchange = await startExchange(t, { OFFHOOK_SIP_LIMIT_LOOPBACK: 'on' })
  await t.test('registers forty phones behind one address concurrently, from forty ports or from one', (t) => powerIsBack(t, exchange))
  await t.test("does not penalise a customer for a forged flood from the customer's address", (t) => flooded(t, exchange))
})

const powerIsBack = async (t: TestContext, exchange: Exchange): Promise<void> => {
  const logins = await Promise.all(Array.from({ length: phones }, () => exchange.newDevice()))
  const lines = ['SEQUENTIAL', ...logins.map(({ user, password }) => `${user};[authentication username=${user} password=${password}]`), '']
  for (const [index, address] of offices.entries()) {
    await sippSucceeds(t, {
      scenario: 'office-register',
      target: exchange.sip,
      address,
      calls: phones,
      rate: 1_000,
      keys: { domain: exchange.sip, expires: '600' },
      files: { 'logins.csv': Buffer.from(lines.join('\n')) },
      more: ['-inf', 'logins.csv', ...(index === 0 ? ['-t', 'un', '-max_socket', '100'] : [])],
    })
  }
  const { items } = await exchange.admin.listRegisterDevices({ userId: exchange.userId })
  const online = items.filter(({ id, online }) => online && logins.some(({ deviceId }) => deviceId === id))
  assert.equal(online.length, phones)
}

const flooded = async (t: TestContext, exchange: Exchange): Promise<void> => {
  const { demoNumber, sip: target } = exchange
  const login = await exchange.newDevice()
  const keys = { from: login.user, domain: target, contact: `sip:${login.user}@${customer}`, expires: '600' }
  const phone = { target, address: customer, login, keys }
  const calls: SippOptions = {
    ...phone,
    scenario: 'phone-call',
    service: demoNumber,
    more: ['-d', '2500', '-auth_uri', `${demoNumber}@${target}`],
  }
  const registers: SippOptions = { ...phone, scenario: 'phone-register-again', more: ['-d', '2500'] }
  const [call, registration] = await Promise.all([startSipp(t, calls), startSipp(t, registers)])
  await until('the call runs and the phone is registered', async () => (await answers(call)) >= 2 && (await answers(registration)) >= 2)

  const flood = await startFlood(t, target)
  await sippSucceeds(t, { ...phone, scenario: 'phone-register', transport: 'tcp' })
  assertSucceeded(await registration.result(), registers)
  assertSucceeded(await call.result(), calls)
  const { sent, answered } = flood()
  assert.ok(sent > 500, `${sent} were sent`)
  assert.ok(answered < sent / 2, `${answered} of ${sent} were answered`)
}

/** Challenges and final responses that a scripted phone received. */
const answers = async (peer: Sipp): Promise<number> =>
  [...(await peer.messages()).matchAll(/message received \[\d+\] bytes :\s+SIP\/2\.0 (401|200)/g)].length

const sockets = 3
const intervalMs = 10
const eachTime = 5

/** Unauthenticated requests from ports of the customer's address without a phone. */
const startFlood = async (t: TestContext, target: string): Promise<() => { sent: number; answered: number }> => {
  const [host = '', port = ''] = target.split(':')
  let [sent, answered] = [0, 0]
  const forgers = await Promise.all(
    Array.from({ length: sockets }, async () => {
      const socket = createSocket('udp4')
      socket.bind(0, customer)
      await once(socket, 'listening')
      socket.on('message', () => answered++)
      return socket
    }),
  )
  const timer = setInterval(() => {
    for (let n = 0; n < eachTime; n++) forgers[sent % sockets]?.send(forged(target, ++sent), Number(port), host)
  }, intervalMs)
  t.after(() => {
    clearInterval(timer)
    for (const socket of forgers) socket.close()
  })
  return () => ({ sent, answered })
}

const forged = (target: string, n: number): string =>
  [
    `REGISTER sip:${target} SIP/2.0`,
    `Via: SIP/2.0/UDP ${customer};branch=z9hG4bK${n}`,
    `From: <sip:${n}@${target}>;tag=${n}`,
    `To: <sip:${n}@${target}>`,
    `Call-ID: ${n}`,
    'CSeq: 1 REGISTER',
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n')
