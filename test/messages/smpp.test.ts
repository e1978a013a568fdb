import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startExchange } from '../support/peers/exchange.ts'
import { international, startMessageCentre, type Treatment } from '../support/peers/message-centre.ts'
import { until } from '../support/peers/peer-process.ts'
import { newMobileNumber, openSmsOffice, outside, ownMobile, pricePerSegment } from '../support/sms-office.ts'

const timeout = 60_000
const taken = (n: number, more: { receipt?: 'before' | 'after'; state?: string } = {}): Treatment => ({ id: `id-${n}`, ...more })

test('messages over a message centre of others', { concurrency: true, timeout }, async (t) => {
  const tests = [
    t.test('two parts of 81 euro signs, emoji, and receipts', async (t) => {
      const centre = await startMessageCentre(t, (_sms, n) => taken(n, { receipt: 'after' }))
      const exchange = await startExchange(t, { OFFHOOK_SMPP_URL: centre.url })
      const office = await openSmsOffice(exchange, centre)
      assert.equal(centre.submitted[0]?.sender, 'Offhook')
      const euros = '€'.repeat(81)
      await office.send(euros)
      const [, first, second] = await centre.messages(3)
      assert.deepEqual([first?.text, second?.text], ['€'.repeat(76), '€'.repeat(5)])
      assert.deepEqual([first?.header.slice(-4), second?.header.slice(-4)], ['0201', '0202'])
      assert.equal(first?.header.slice(0, 6), second?.header.slice(0, 6), 'the same reference')
      assert.deepEqual(
        [first?.sender, first?.recipient, first?.dataCoding, first?.wantsReceipt],
        [ownMobile.slice(1), outside.slice(1), 0, true],
      )
      await office.entry(euros, 'DELIVERED')
      assert.equal(await office.spent(), 2 * pricePerSegment)

      const emoji = '👩‍🚀 on her way 🚀'
      await office.send(emoji)
      await centre.messages(4)
      assert.deepEqual([centre.submitted[3]?.text, centre.submitted[3]?.dataCoding], [emoji, 8])
      await office.entry(emoji, 'DELIVERED')
      const [route] = (await exchange.operator.listSmsRoutes()).items
      assert.deepEqual([route?.name, route?.usable, route?.reason], ['smpp', true, ''])
    }),

    t.test('receipts that come before the answer, or say that it failed', async (t) => {
      const centre = await startMessageCentre(t, (sms, n) =>
        taken(n, sms.text === 'Gone' ? { receipt: 'after', state: 'UNDELIV' } : { receipt: 'before' }),
      )
      const exchange = await startExchange(t, { OFFHOOK_SMPP_URL: centre.url })
      const office = await openSmsOffice(exchange, centre)
      await office.send('Early')
      await office.entry('Early', 'DELIVERED')
      await office.send('Gone')
      await office.entry('Gone', 'FAILED')
      assert.equal(await office.spent(), 2 * pricePerSegment, 'what the message centre took is paid for')
    }),

    t.test('refused, throttled and misspelt recipients', async (t) => {
      const centre = await startMessageCentre(t, (sms, n) => {
        if (sms.text === 'Refused') return { status: 0x0b }
        return sms.text === 'Throttled' && n < 4 ? { status: 0x58 } : taken(n)
      })
      const exchange = await startExchange(t, { OFFHOOK_SMPP_URL: centre.url })
      const office = await openSmsOffice(exchange, centre)
      await office.send('Refused')
      await office.entry('Refused', 'FAILED')
      assert.equal(await office.spent(), 0)
      await office.send('Throttled')
      await office.entry('Throttled', 'SENT')
      assert.ok(centre.submitted.filter(({ text }) => text === 'Throttled').length >= 3)
      assert.equal(await office.spent(), pricePerSegment)
      await assert.rejects(office.send('To nobody', '12'), { status: 400 })
    }),

    t.test('the message centre dies between submit and answer: sent again, charged once, not lost', async (t) => {
      const centre = await startMessageCentre(t, (sms, n) => (sms.text === 'Lost' && n === 1 ? 'vanish' : taken(n)))
      const exchange = await startExchange(t, { OFFHOOK_SMPP_URL: centre.url })
      const office = await openSmsOffice(exchange, centre)
      await office.send('Lost')
      await office.entry('Lost', 'SENT')
      assert.deepEqual(
        centre.submitted.slice(1).map(({ text }) => text),
        ['Lost', 'Lost'],
      )
      assert.equal(await office.spent(), pricePerSegment)
    }),

    t.test('what comes in is told to whom it is for, in parts too', async (t) => {
      const centre = await startMessageCentre(t, (_sms, n) => taken(n))
      const exchange = await startExchange(t, { OFFHOOK_SMPP_URL: centre.url })
      const office = await openSmsOffice(exchange, centre)
      const number = await newMobileNumber(exchange, office.smsId)
      const from = international(outside, number)
      assert.equal(await centre.deliver({ ...from, data_coding: 0, short_message: 'Hallo Büro {€}' }), 0)
      const entry = await office.entry('Hallo Büro {€}')
      assert.deepEqual([entry.direction, entry.source, entry.target], ['INCOMING', outside, number])
      const halves = ['Половина и ', 'другая 😀']
      for (const [index, half] of halves.toReversed().entries()) {
        const message = Buffer.from(half, 'utf16le').swap16()
        const part = { udh: Buffer.from([5, 0, 3, 77, 2, 2 - index]), message }
        assert.equal(await centre.deliver({ ...from, data_coding: 8, esm_class: 0x40, short_message: part }), 0)
      }
      await office.entry(halves.join(''))
      assert.equal(await centre.deliver({ ...international(outside, '+4930000000'), short_message: 'Nobody' }), 0)
    }),

    t.test('a message centre that does not let us in: the operator sees why', async (t) => {
      const centre = await startMessageCentre(t, (_sms, n) => taken(n))
      const wrong = await startExchange(t, { OFFHOOK_SMPP_URL: centre.url.replace('secret', 'wrong') })
      const state = await until('the reason', async () =>
        (await wrong.operator.listSmsRoutes()).items.find(({ reason }) => reason.includes('password')),
      )
      assert.equal(state.usable, false)
      assert.equal(centre.bound(), 0)
    }),
  ]
  await Promise.all(tests)
})

test('without a message centre: numbers here get messages for free, others a clear refusal', { timeout }, async (t) => {
  const exchange = await startExchange(t)
  const { admin, userId } = exchange
  const smsId = (await admin.listSms({ userId })).items[0]?.id ?? ''
  await assert.rejects(admin.createSmsCallerId({ userId, smsId }, { phonenumber: ownMobile }), {
    status: 503,
    message: /no message centre/,
  })
  assert.deepEqual((await exchange.operator.listSmsRoutes()).items, [])
})
