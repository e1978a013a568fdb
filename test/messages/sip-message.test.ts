import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needs } from '../support/peers/debian.ts'
import { startExchange } from '../support/peers/exchange.ts'
import { until } from '../support/peers/peer-process.ts'
import { sipsak } from '../support/peers/sipsak.ts'

const timeout = 60_000

test('sipsak and baresip write to each other over the service', { timeout }, async (t) => {
  if (!(await needs(t, 'baresip', 'sipsak'))) return
  const exchange = await startExchange(t, { OFFHOOK_SPEECH: 'off' })
  const { sip: server } = exchange
  const login = await exchange.newDevice()
  const reader = await exchange.newPhone(t, { traced: true })
  const writer = await exchange.newPhone(t, { writesTo: `sip:${reader.user}@${server}` })
  assert.equal(await sipsak(t, { server, login, to: reader.user, text: 'Grüße von sipsak' }), 200)
  await until('what sipsak wrote', () => reader.log().includes('Grüße von sipsak'))
  assert.match(reader.log(), new RegExp(`sip:${login.user}@`), 'whoever reads it sees who wrote it')
  await writer.write('Hallo, hier baresip')
  await until('what the other baresip wrote', () => reader.log().includes('Hallo, hier baresip'))
  const wrong = { ...login, password: 'wrong' }
  assert.ok([401, 403].includes(await sipsak(t, { server, login: wrong, to: reader.user, text: 'Not me' })))
  assert.equal(await sipsak(t, { server, login, to: 'e99', text: 'Anybody?' }), 404)
  assert.equal(await sipsak(t, { server, login, to: login.user, text: 'To myself' }), 480)
  assert.ok(!reader.log().includes('Not me'))
})
