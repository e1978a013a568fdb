import assert from 'node:assert/strict'
import { duplexPair } from 'node:stream'
import type { Duplex } from 'node:stream'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { VirtualClock } from '#test/clock/virtual-clock.ts'
import { SmppClient } from './client.ts'
import type { ClientOptions, ClientState } from './client.ts'
import { messageFields } from '../pdu/pdu.ts'
import { SmppSession } from '../session/session.ts'
import { SmppNotSent, SmppUnanswered } from '../pdu/smpp-error.ts'
import { status } from '../pdu/status.ts'

const address = { ton: 1, npi: 1, value: '491701234567' }
const message = messageFields({ source: address, destination: address })

interface World {
  clock: VirtualClock
  client: SmppClient
  states: ClientState[]
  smscs: SmppSession[]
  /** Times of the connection attempts. */
  attempts: number[]
}

type Plan = (clock: VirtualClock) => ((socket: Duplex) => void)[]

/** `planned`: results of the first connections; later ones reach an SMSC. */
const world = (t: TestContext, options: Partial<ClientOptions> = {}, planned: Plan = () => []): World => {
  const clock = new VirtualClock(0)
  const startedAt = clock.now()
  const plan = planned(clock)
  const [states, smscs, attempts]: [ClientState[], SmppSession[], World['attempts']] = [[], [], []]
  const smscAt = (socket: Duplex): void => {
    const session = new SmppSession({
      role: 'smsc',
      socket,
      clock,
      bind: async ({ password }) => ({ status: password === 'right' ? 0 : status.invalidPassword, systemId: 'SMSC' }),
      message: async () => ({ status: 0, messageId: `id-${smscs.length}` }),
    })
    smscs.push(session)
  }
  const connect = async (): Promise<Duplex> => {
    attempts.push(clock.now() - startedAt)
    const [here, there] = connection()
    const next = plan.shift() ?? smscAt
    next(there)
    return here
  }
  const ok = async (): Promise<{ status: number }> => ({ status: 0 })
  const client = new SmppClient({
    clock,
    connect,
    bind: { systemId: 'a', password: 'right' },
    message: ok,
    random: () => 1,
    changed: (state) => states.push(state),
    ...options,
  })
  t.after(async () => {
    for (const session of smscs) session.destroy('over')
    await client.close()
  })
  client.start()
  return { clock, client, states, smscs, attempts }
}

/** As with a real one, destroying one end destroys both. */
const connection = (): [Duplex, Duplex] => {
  const [here, there] = duplexPair()
  here.once('close', () => there.destroy())
  there.once('close', () => here.destroy())
  return [here, there]
}

const refusesConnection = (): void => {
  throw new Error('connect ECONNREFUSED')
}

test('binds, and rebinds after a lost connection; rejects messages in between', async (t) => {
  const { client, clock, smscs, states } = world(t)
  await assert.rejects(client.send(message), SmppNotSent)
  await clock.advance(0)
  assert.equal((await client.send(message)).messageId, 'id-1')
  smscs[0]!.destroy('killed')
  await clock.advance(0)
  assert.equal(client.bound, false)
  await assert.rejects(client.send(message), SmppNotSent)
  await clock.advance(1_000)
  assert.equal((await client.send(message)).messageId, 'id-2')
  assert.deepEqual(
    states.map(({ bound }) => bound),
    [true, false, true],
  )
})

test('reports a connection lost between request and response as possibly sent', async (t) => {
  const { client, clock } = world(t, {}, (clock) => [
    (socket) => {
      const message = (): Promise<never> => (session.destroy('killed'), new Promise(() => {}))
      const session = new SmppSession({ role: 'smsc', socket, clock, bind: async () => ({ status: 0 }), message })
    },
  ])
  await clock.advance(0)
  await assert.rejects(client.send(message), SmppUnanswered)
})

test('doubles the wait up to a minute; resets it after a lasting connection', async (t) => {
  const { client, clock, smscs, attempts } = world(t, {}, () => Array.from({ length: 8 }, () => refusesConnection))
  await clock.advance(200_000)
  const waits = attempts.map((at, index) => at - (attempts[index - 1] ?? 0))
  assert.deepEqual(waits, [0, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
  assert.equal(client.bound, true)
  await clock.advance(60_000)
  smscs[0]!.destroy('killed')
  await clock.advance(1_000)
  assert.equal(attempts.length, 10)
  assert.equal(client.bound, true)
})

test('backs off from an SMSC that accepts and drops connections', async (t) => {
  const drops = (clock: VirtualClock) => (socket: Duplex) => {
    const session = new SmppSession({
      role: 'smsc',
      socket,
      clock,
      bind: async () => ({ status: 0 }),
      message: async () => ({ status: 0 }),
    })
    clock.after(10, () => session.destroy('dropped'))
  }
  const { clock, attempts } = world(t, {}, (clock) => Array.from({ length: 20 }, () => drops(clock)))
  await clock.advance(120_000)
  assert.ok(attempts.length < 10, `${attempts.length} connections in two minutes`)
})

test('reports a wrong password and retries rarely', async (t) => {
  const { client, clock, states, attempts } = world(t, { bind: { systemId: 'a', password: 'wrong' } })
  await clock.advance(59_000)
  assert.equal(attempts.length, 1)
  assert.deepEqual(states, [{ bound: false, why: 'bind_transceiver was refused: the password is wrong (0x0e)', nextTryMs: 60_000 }])
  await clock.advance(1_000)
  assert.equal(attempts.length, 2)
  assert.equal(client.bound, false)
})

test('leaves an SMSC that does not answer the bind and retries', async (t) => {
  const { client, clock, attempts } = world(t, {}, () => [(socket) => socket.resume()])
  await clock.advance(11_000)
  assert.equal(attempts.length, 2)
  assert.equal(client.bound, true)
})

test('close unbinds and leaves no timer in any state', async (t) => {
  const { client, clock, smscs } = world(t)
  await clock.advance(0)
  await client.close()
  assert.equal(await smscs[0]!.closed, 'The far end unbound')
  assert.equal(clock.pending(), 0)
  const waiting = world(t, { connect: async () => refusesConnection() as never })
  await waiting.clock.advance(0)
  await waiting.client.close()
  assert.equal(waiting.clock.pending(), 0)
  const connecting = world(t, {
    connect: (signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('given up')))),
  })
  await connecting.client.close()
  assert.equal(connecting.clock.pending(), 0)
})
