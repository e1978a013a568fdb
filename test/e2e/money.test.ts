import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needs } from '#test/peers/debian.ts'
import { startExchange } from '#test/service/exchange.ts'
import { until } from '#test/machine/peer-process.ts'
import { startSipp } from '#test/peers/sipp.ts'
import { loud, secondsOf, secondsOfSound } from '#test/sound/tones.ts'

const carrier = '127.0.0.2'
const tone = 600

test('ends a call with an announcement when the balance is used up', async (t) => {
  if (!(await needs(t, 'sipp', 'baresip'))) return
  const exchange = await startExchange(t)
  const { accountId } = exchange
  const network = await startSipp(t, { scenario: 'uas', echo: true, address: carrier })
  await exchange.newTrunk(carrier, { port: network.port })
  // 1.00 per second, with a balance for twelve seconds.
  const rate = { service: 'CALL', prefix: '4989', ratePerMinute: 600_000, minSeconds: 1, incrementSeconds: 1 } as const
  await exchange.operator.setRate({ tariffId: 'standard' }, rate)
  await exchange.operator.topUpBalance({ accountId }, { amount: 20_000, reason: 'test', idempotencyKey: 'test' })
  const phone = await exchange.newPhone(t, { tone })

  await phone.dial(`sip:+498912345678@${exchange.sip}`)
  await phone.event('CALL_ESTABLISHED')
  await phone.hears(tone, 1)
  await phone.event('CALL_CLOSED')
  const [wav] = await phone.heard()
  const last = wav?.channels[0]?.subarray(-4 * wav.rate) ?? new Float32Array()
  assert.ok(secondsOfSound(last, wav?.rate ?? 0) > 1.5, 'a prompt is heard at the end')
  assert.ok(secondsOf(last, wav?.rate ?? 0, tone, loud) < 1.5, 'instead of the other side')

  const { amount, reserved } = await until('the bill', async () => {
    const balance = await exchange.operator.readBalance({ accountId })
    return balance.reserved === 0 ? balance : undefined
  })
  assert.equal(reserved, 0)
  // The prompt starts early enough to finish, so a little may be left.
  assert.ok(amount >= 0 && amount <= 30_000, `${amount} is left`)

  await exchange.operator.adjustBalance({ accountId }, { amount: -amount, reason: 'test', idempotencyKey: 'rest' })
  await phone.dial(`sip:+498912345678@${exchange.sip}`)
  const refused = await until('the second call is refused', () => phone.events().filter(({ type }) => type === 'CALL_CLOSED')[1])
  assert.match(refused.param ?? '', /^402|Connection reset by peer/)
})
