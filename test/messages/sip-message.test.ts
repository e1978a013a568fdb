import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { needs } from '#test/peers/debian.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { until } from '#test/machine/peer-process.ts'
import { sipsak } from '#test/peers/sipsak.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'

const mobile = '+4915799900001'

test('exchanges texts with phones', async (t) => {
  if (!(await needs(t, 'baresip', 'sipsak'))) return
  const exchange = await startExchange(t)
  await t.test('lets sipsak and baresip write to each other', (t) => writeToEachOther(t, exchange))
  await t.test('sends a text to a number as SMS, and delivers an SMS as a text on a phone', (t) => writeToNumbers(t, exchange))
  await t.test('writes a text from a trunk to the history once, and shows it on a phone', (t) => writeOverTrunk(t, exchange))
})

const writeToEachOther = async (t: TestContext, exchange: Exchange): Promise<void> => {
  const { sip: server } = exchange
  const login = await exchange.newDevice()
  const reader = await exchange.newPhone(t, { traced: true })
  const writer = await exchange.newPhone(t, { writesTo: `sip:${reader.user}@${server}` })
  assert.equal(await sipsak(t, { server, login, to: reader.user, text: 'Grüße von sipsak' }), 200)
  await until('what sipsak wrote', () => reader.log().includes('Grüße von sipsak'))
  assert.match(reader.log(), new RegExp(`sip:${login.user}@`), 'the recipient sees the sender')
  await writer.write('Hallo, hier baresip')
  await until('what the other baresip wrote', () => reader.log().includes('Hallo, hier baresip'))
  const wrong = { ...login, password: 'wrong' }
  assert.ok([401, 403].includes(await sipsak(t, { server, login: wrong, to: reader.user, text: 'Not me' })))
  assert.equal(await sipsak(t, { server, login, to: 'e99', text: 'Anybody?' }), 404)
  assert.equal(await sipsak(t, { server, login, to: login.user, text: 'To myself' }), 480)
  assert.ok(!reader.log().includes('Not me'))
}

const writeToNumbers = async (t: TestContext, exchange: Exchange): Promise<void> => {
  const { sip: server, admin, userId, accountId } = exchange
  const login = await exchange.newDevice()
  const reader = await exchange.newPhone(t, { traced: true })
  const { lineId, number } = await exchange.newLine(reader.deviceId)
  assert.equal(await sipsak(t, { server, login, to: number, text: 'Who am I?' }), 403, 'no message without a sender')
  const [address] = (await admin.listAddresses()).items
  const { id } = await exchange.operator.assignNumber({}, { accountId, number: mobile, addressId: address?.id ?? '' })
  await admin.changeNumber({ numberId: id }, { endpointId: lineId })

  assert.equal(await sipsak(t, { server, login, to: number.replace('+49', '0'), text: 'Grüße an alle' }), 202)
  await until('what sipsak wrote', () => reader.log().includes('Grüße an alle'))
  assert.match(reader.log(), /From: <sip:\+4915799900001@/)
  const messages = async (text: string) =>
    (await admin.listOwnHistory({ types: ['SMS'] })).items.filter(({ smsContent }) => smsContent === text)
  const both = await until('both sides of it', async () => {
    const found = await messages('Grüße an alle')
    return found.length === 2 ? found : undefined
  })
  assert.deepEqual(both.map(({ direction, source, target }) => `${direction} ${source} ${target}`).toSorted(), [
    `INCOMING ${mobile} ${number}`,
    `OUTGOING ${mobile} ${number}`,
  ])
  const [sms] = (await admin.listSms({ userId })).items
  await admin.sendSms({}, { smsId: sms?.id ?? '', recipient: number, message: 'Über REST 🎉' })
  await until('what came over REST', () => reader.log().includes('Über REST 🎉'))
  assert.equal(await sipsak(t, { server, login, to: '+4915112345678', text: 'Far away' }), 480, 'there is no message centre')
  assert.equal(await sipsak(t, { server, login, to: '09001234567', text: 'Dear' }), 403)
}

const writeOverTrunk = async (t: TestContext, exchange: Exchange): Promise<void> => {
  const address = '127.0.0.9'
  const reader = await exchange.newPhone(t, { traced: true })
  const { number } = await exchange.newLine(reader.deviceId)
  const carrier = await SipPhone.open(t, { server: exchange.sip, address })
  const write = async (to: string): Promise<number> => {
    const message = {
      from: `<sip:+4915112345678@${address}>`,
      contentType: 'text/plain',
      callId: 'theirs',
      cseq: 1,
      body: 'Grüße von weither',
    }
    return (await carrier.request('MESSAGE', `sip:${to}@${exchange.sip}`, message)).status
  }
  assert.equal(await write(number), 401, 'an unknown phone')
  await exchange.newTrunk(address, { port: Number(carrier.address.split(':')[1]) })
  await until('the trunk is known', async () => (await write('+4930999999')) === 404)
  for (const _ of [1, 2]) assert.equal(await write(number), 200)
  await until('it is shown', () => reader.log().includes('Grüße von weither'))
  const { items } = await exchange.admin.listOwnHistory({ types: ['SMS'] })
  assert.deepEqual(
    items.filter(({ target }) => target === number).map(({ direction, source, smsContent }) => [direction, source, smsContent]),
    [['INCOMING', '+4915112345678', 'Grüße von weither']],
  )
}
