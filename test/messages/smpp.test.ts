import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startExchange } from '#test/service/exchange.ts'
import { international, startMessageCentre, type Treatment } from '#test/peers/message-centre.ts'
import { until } from '#test/machine/peer-process.ts'
import { newMobileNumber, openSmsOffice, outside, ownMobile, pricePerSegment } from '#test/service/sms-office.ts'
import { withCode } from '#test/http/with-code.ts'

const euros = '€'.repeat(81)
const emoji = '👩‍🚀 on her way 🚀'

/** Reaction of the message centre to the nth submission of a text, from 1. */
const treatments: Record<string, (id: string, nth: number) => Treatment> = {
  [euros]: (id) => ({ id, receipt: 'after' }),
  [emoji]: (id) => ({ id, receipt: 'after' }),
  Early: (id) => ({ id, receipt: 'before' }),
  Gone: (id) => ({ id, receipt: 'after', state: 'UNDELIV' }),
  Refused: () => ({ status: 0x0b }),
  Throttled: (id, nth) => (nth < 3 ? { status: 0x58 } : { id }),
  Lost: (id, nth) => (nth === 1 ? 'vanish' : { id }),
}

/** Each part of a long text is treated like the whole. */
const treatmentOf = (text: string) =>
  Object.entries(treatments).find(([whole]) => text !== '' && (whole === text || whole.startsWith(text)))?.[1]

test('sends messages over a third-party message centre', async (t) => {
  const times = new Map<string, number>()
  const centre = await startMessageCentre(t, ({ text }, n) => {
    const nth = (times.get(text) ?? 0) + 1
    times.set(text, nth)
    return treatmentOf(text)?.(`id-${n}`, nth) ?? { id: `id-${n}` }
  })
  const exchange = await startExchange(t, { OFFHOOK_SMPP_URL: centre.url })
  const office = await openSmsOffice(exchange, centre)
  const submitted = (text: string) => centre.submitted.filter((sms) => sms.text === text)
  /** Charge in segments. */
  const segments = async (work: () => Promise<void>): Promise<number> => {
    const before = await office.spent()
    await work()
    return ((await office.spent()) - before) / pricePerSegment
  }
  const becomes = async (text: string, status: string): Promise<void> => {
    await office.send(text)
    await office.entry(text, status)
  }

  await t.test('sends two parts of 81 euro signs, emoji, and gets receipts', async () => {
    assert.equal(centre.submitted[0]?.sender, 'Offhook')
    assert.equal(await segments(() => becomes(euros, 'DELIVERED')), 2)
    const [, first, second] = centre.submitted
    assert.deepEqual([first?.text, second?.text], ['€'.repeat(76), '€'.repeat(5)])
    assert.deepEqual([first?.header.slice(-4), second?.header.slice(-4)], ['0201', '0202'])
    assert.equal(first?.header.slice(0, 6), second?.header.slice(0, 6), 'the same reference')
    assert.deepEqual(
      [first?.sender, first?.recipient, first?.dataCoding, first?.wantsReceipt],
      [ownMobile.slice(1), outside.slice(1), 0, true],
    )
    await becomes(emoji, 'DELIVERED')
    assert.deepEqual([centre.submitted[3]?.text, centre.submitted[3]?.dataCoding], [emoji, 8])
    const [route] = (await exchange.operator.listSmsRoutes()).items
    assert.deepEqual([route?.name, route?.usable, route?.reason], ['smpp', true, ''])
  })

  await t.test('handles receipts before the response, and failure receipts', async () => {
    assert.equal(await segments(() => becomes('Early', 'DELIVERED')), 1)
    assert.equal(await segments(() => becomes('Gone', 'FAILED')), 1, 'what the message centre took is paid for')
  })

  await t.test('handles rejected, throttled and misspelt recipients', async () => {
    assert.equal(await segments(() => becomes('Refused', 'FAILED')), 0)
    assert.equal(await segments(() => becomes('Throttled', 'SENT')), 1)
    assert.equal(submitted('Throttled').length, 3)
    await assert.rejects(office.send('To nobody', '12'), { status: 400 })
  })

  await t.test('delivers incoming messages to their recipient, also in parts', async () => {
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
  })

  await t.test('resends without loss and charges once when the message centre dies between submit and response', async () => {
    assert.equal(await segments(() => becomes('Lost', 'SENT')), 1)
    assert.equal(submitted('Lost').length, 2)
  })
})

test('shows the operator why a message centre rejects the bind', async (t) => {
  const centre = await startMessageCentre(t, (_sms, n) => ({ id: `id-${n}` }))
  const wrong = await startExchange(t, { OFFHOOK_SMPP_URL: centre.url.replace('secret', 'wrong') })
  const state = await until('the reason', async () =>
    (await wrong.operator.listSmsRoutes()).items.find(({ reason }) => reason.includes('password')),
  )
  assert.equal(state.usable, false)
  assert.equal(centre.bound(), 0)
})

test('delivers to local numbers for free without a message centre, and rejects others by code', async (t) => {
  const exchange = await startExchange(t)
  const { admin, userId } = exchange
  const smsId = (await admin.listSms({ userId })).items[0]?.id ?? ''
  await assert.rejects(
    admin.createSmsCallerId({ userId, smsId }, { phonenumber: ownMobile }),
    withCode('line_unavailable', 'OFFHOOK_SMPP_URL'),
  )
  assert.deepEqual((await exchange.operator.listSmsRoutes()).items, [])
})
