import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '#test/machine/peer-process.ts'
import { needs } from '#test/peers/debian.ts'
import { startRegistrar } from '#test/peers/kamailio.ts'
import { startNats } from '#test/peers/nats-server.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { freshPostgres } from '#test/store/databases.ts'

const carrier = '127.0.0.2'
const login = { user: 'account7', password: 'carrier secret', realm: 'carrier.example' }

test('registers with a carrier from one process at a time, fails over when it is killed, and reports the same state everywhere', async (t) => {
  if (!(await needs(t, 'nats-server', 'kamailio'))) return
  const { url: OFFHOOK_BUS } = await startNats(t)
  const registrar = await startRegistrar(t, { host: carrier, ...login })
  const secret = Buffer.alloc(32, 7).toString('base64')
  const shared = { OFFHOOK_BUS, DATABASE_URL: await freshPostgres(), OFFHOOK_SECRET_KEY: secret }
  const first = await startExchange(t, shared)
  const second = await startExchange(t, { ...shared, OFFHOOK_DATA: first.data })
  const { user: username, password, realm } = login
  const trunkId = await first.newTrunk(carrier, { port: registrar.port, username, password, realm, register: true })
  const stateAt = async ({ operator }: Exchange) => (await operator.readTrunk({ trunkId })).state
  const nodes = (await first.operator.listNodes()).items
  const idOf = ({ http }: Exchange): string => nodes.find((node) => node.http === http)?.id ?? assert.fail()
  /** Kamailio logs each registration with its Contact. */
  const contacts = (from = 0): Set<string> =>
    new Set(
      [
        ...registrar
          .log()
          .slice(from)
          .matchAll(/registered account7 at .*?@([\d.:]+)/g),
      ].map(([, at]) => at ?? ''),
    )

  for (const exchange of [first, second]) await until('registered', async () => (await stateAt(exchange))?.registered === true)
  const states = [await stateAt(first), await stateAt(second)]
  assert.equal(contacts().size, 1, registrar.log())
  assert.equal(states[0]?.registeredBy, states[1]?.registeredBy)
  const [holder, other] = states[0]?.registeredBy === idOf(first) ? [first, second] : [second, first]
  assert.deepEqual([...contacts()], [holder.sip])
  assert.ok(states.every((state) => state?.usable))

  const before = registrar.log().length
  const killedAt = performance.now()
  holder.program.child.kill('SIGKILL')
  await until('the other one registers', () => contacts(before).has(other.sip))
  t.diagnostic(`registered again ${Math.round(performance.now() - killedAt)} ms after the kill`)
  await until('it says so', async () => (await stateAt(other))?.registeredBy === idOf(other))
  assert.equal((await stateAt(other))?.registered, true)
})
