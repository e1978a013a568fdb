import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '@offhook/contract/problem.ts'
import type { SipPhone } from '#test/phones/sip-phone.ts'
import { Office } from '#test/phones/telephone-office.ts'
import type { TrunkText } from '#core/kernel/ports/messages.ts'

const plain = 'text/plain;charset=UTF-8'

/** Sender identity that only a carrier may assert. */
const asserted = '<sip:0151-12345678@carrier.example>'

const write = (phone: SipPhone, office: Office, more: Parameters<SipPhone['request']>[2] = {}) =>
  phone.request('MESSAGE', `sip:03023125042@${office.server}`, {
    from: '<sip:bank@carrier.example>',
    contentType: plain,
    body: 'Grüße 🎉',
    ...more,
  })

const openOffice = async (...[t]: Parameters<typeof Office.open>): Promise<{ office: Office; taken: TrunkText[] }> => {
  const office = await Office.open(t)
  const taken: TrunkText[] = []
  office.telephony.trunkMessages.onText(async (text) => void taken.push(text))
  office.telephony.messages.onText(async () => 'accepted')
  return { office, taken }
}

test("accepts a carrier's message without a password, with numbers in the trunk's format", async (t) => {
  const { office, taken } = await openOffice(t)
  const { phone } = await office.carrier('127.0.0.9', { numberFormat: 'NATIONAL' })
  assert.equal((await write(phone, office, { headers: [['P-Asserted-Identity', asserted]] })).status, 200)
  assert.equal((await write(phone, office)).status, 200)
  assert.equal((await write(phone, office, { from: '<sip:anonymous@anonymous.invalid>' })).status, 200)
  const [recipient, text] = ['+493023125042', 'Grüße 🎉']
  assert.deepEqual(
    taken.map(({ sender, recipient, text }) => ({ sender, recipient, text })),
    [
      { sender: '+4915112345678', recipient, text },
      { sender: 'bank', recipient, text },
      { sender: undefined, recipient, text },
    ],
  )
})

test('a repeated message of a carrier has the same id, that of another trunk a different one', async (t) => {
  const { office, taken } = await openOffice(t)
  const carriers = [await office.carrier('127.0.0.9'), await office.carrier('127.0.0.10')]
  for (const { phone } of carriers) for (const _ of [1, 2]) await write(phone, office, { callId: 'theirs', cseq: 7 })
  const [first, again, other] = taken.map(({ id }) => id)
  assert.equal(taken.length, 4)
  assert.equal(first, again)
  assert.notEqual(first, other)
})

test("a phone at a carrier's address has to authenticate, like all others", async (t) => {
  const { office, taken } = await openOffice(t)
  const { phone: carrier } = await office.carrier('127.0.0.9')
  const { username } = await office.login()
  assert.equal((await write(carrier, office, { from: `<sip:${username}@${office.server}>` })).status, 401)
  const { phone } = await office.phone()
  assert.equal((await write(phone, office)).status, 202, 'it is a phone, whatever it says')
  assert.deepEqual(taken, [])
})

test("rejects a carrier's message to an unknown number or of another type", async (t) => {
  const { office, taken } = await openOffice(t)
  const { phone } = await office.carrier('127.0.0.9')
  for (const contentType of ['application/im-iscomposing+xml', 'message/cpim', 'multipart/mixed;boundary=x', 'text/html'])
    assert.equal((await write(phone, office, { contentType })).status, 415, contentType)
  assert.equal((await write(phone, office, { body: '' })).status, 400)
  assert.equal((await write(phone, office, { to: `<sip:1@${office.server}>;tag=none` })).status, 481)
  assert.deepEqual(taken, [])
  office.telephony.trunkMessages.onText(() => Promise.reject(new Problem('callee_invalid')))
  assert.equal((await write(phone, office)).status, 404)
  office.telephony.trunkMessages.onText(() => Promise.reject(new Error('a fault of ours')))
  assert.equal((await write(phone, office)).status, 500)
  assert.equal(office.failures.length, 1)
})
