// test: real time
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { SavedDialog } from '#core/kernel/ports/telephony.ts'
import type { SipPhone } from '#test/phones/sip-phone.ts'
import { Office } from '#test/phones/telephone-office.ts'
import type { ReadInterfaces } from './transport/networks.ts'

const tone = 440

const interfaceAt = (address: string) => ({
  address,
  netmask: '255.255.255.192',
  cidr: `${address}/26`,
  family: 'IPv4' as const,
  mac: '00:00:00:00:00:00',
  internal: true,
})

/** A machine with an address in each of two networks. */
const openMachine = (t: TestContext, ours: readonly string[]): Promise<Office> => {
  const readInterfaces: ReadInterfaces = () => ({ inside: [interfaceAt(ours[0] ?? '')], outside: [interfaceAt(ours[1] ?? '')] })
  return Office.open(t, { telephony: { readInterfaces, rtpAddresses: ours } })
}

const callFrom = async (office: Office, phone: SipPhone) => {
  const call = phone.call('+493023125099')
  const { leg } = await office.incoming()
  await leg.answer()
  return { leg, call }
}

const mediaAddress = (sdp: string | undefined): string | undefined => /^c=IN IP4 (\S+)/m.exec(sdp ?? '')?.[1]

test('sends and receives audio at the address in the network of each phone', async (t) => {
  const office = await openMachine(t, ['127.0.0.5', '127.0.0.66'])
  for (const [phoneAt, ours] of [
    ['127.0.0.1', '127.0.0.5'],
    ['127.0.0.77', '127.0.0.66'],
  ] as const) {
    const { phone, deviceId } = await office.phone({ address: phoneAt })
    phone.rtp.say(tone)
    const { leg, call } = await callFrom(office, phone)
    leg.audio.echo(true)
    assert.equal(mediaAddress(Buffer.from((await call.answered).body).toString()), ours)
    await phone.rtp.hears(tone)
    await call.session.end()
    const [dialled] = await office.dialDevice(deviceId)
    assert.ok(dialled)
    const incoming = await phone.incoming()
    assert.equal(mediaAddress(incoming.invite.sdp), ours)
    await dialled.hangUp('normal')
  }
  assert.deepEqual(office.failures, [])
})

test('takes a call over with the own address for the phone, not for the edge that its messages come from', async (t) => {
  const [first, second] = [await openMachine(t, ['127.0.0.5', '127.0.0.66']), await openMachine(t, ['127.0.0.6', '127.0.0.67'])]
  const { phone } = await first.phone({ address: '127.0.0.77' })
  const { leg, call } = await callFrom(first, phone)
  await call.answered
  const saved = JSON.parse(JSON.stringify(leg.dialog())) as SavedDialog & { media: { towards: string } }
  leg.abandon()
  assert.equal(saved.media.towards, '127.0.0.77')
  // As if the phone were in the other network, and 127.0.0.77 the edge.
  saved.media.towards = '127.0.0.1'
  const resumed = second.telephony.resume([saved])
  assert.equal(mediaAddress(await call.offers.next()), '127.0.0.6')
  const [result] = await resumed
  assert.ok(result && 'leg' in result)
})
