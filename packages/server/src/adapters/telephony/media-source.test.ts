import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { RtpPhone } from '#test/phones/rtp-phone.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { Office } from '#test/phones/telephone-office.ts'
import type { Leg } from '#core/kernel/ports/telephony.ts'
import { parseSdp } from '@offhook/sip/sdp/parse-sdp.ts'

const called = '+493023125099'
/** What phones name that do not know how we see them. */
const elsewhere = '127.0.0.3'

const named = (phone: SipPhone): string => phone.sdp().replaceAll('127.0.0.1', elsewhere).replaceAll('127.0.0.2', elsewhere)

/** It hears itself, if it is heard. */
const echo = async (leg: Leg): Promise<void> => {
  leg.audio.echo(true)
  await leg.answer()
}

test('a phone is heard that sends from another address than its SDP names, and after its port has changed', async (t) => {
  const office = await Office.open(t)
  const { phone } = await office.phone({ registered: false })
  phone.rtp.say(440)
  const call = phone.call(called, { sdp: named(phone) })
  await echo((await office.incoming()).leg)
  await call.answered
  phone.rtp.say(440)
  await phone.rtp.hears(440)
  await phone.rtp.move()
  phone.rtp.forget()
  await phone.rtp.hears(440)
  await call.session.end()
})

test('a phone that is called and names another address in its answer is heard', async (t) => {
  const office = await Office.open(t)
  const { phone, deviceId } = await office.phone()
  const [leg] = await office.dialDevice(deviceId)
  assert.ok(leg)
  leg.audio.echo(true)
  const { call, invite } = await phone.incoming()
  phone.converseWith(invite.sdp ?? '')
  phone.rtp.say(440)
  await call.session.accept({ sdp: named(phone) })
  await phone.rtp.hears(440)
  await leg.hangUp('normal')
})

test('a carrier’s gateway elsewhere is heard when the trunk names its network', async (t) => {
  const { gateway, port, call } = await startGateway(t, ['127.0.0.16/28'])
  gateway.talk({ address: '127.0.0.1', port }, 440)
  await gateway.hears(440)
  await call.session.end()
})

test('and a stranger when it does not, though it was first', async (t) => {
  const { gateway, port, call, carrier } = await startGateway(t, [])
  let sent = 0
  const sentEnough = new Promise<void>((resolve) => gateway.sendInstead(() => void (++sent === 10 && resolve())))
  gateway.talk({ address: '127.0.0.1', port }, 2000)
  await sentEnough
  carrier.rtp.talk({ address: '127.0.0.1', port }, 440)
  await carrier.rtp.hears(440)
  assert.ok(carrier.rtp.level(2000) < -50)
  assert.equal(gateway.packets.length, 0)
  await call.session.end()
})

/** A call over a trunk whose gateway is neither where its SDP says nor where its messages come from. No audio is sent yet. */
const startGateway = async (t: TestContext, mediaAddresses: string[]) => {
  const office = await Office.open(t)
  const { phone: carrier } = await office.carrier('127.0.0.2', { mediaAddresses })
  const gateway = await RtpPhone.open({ address: '127.0.0.17' })
  t.after(() => gateway.close())
  const call = carrier.call(called, { sdp: named(carrier) })
  await echo((await office.incoming()).leg)
  const { body } = await call.answered
  carrier.rtp.muteInput()
  return { gateway, carrier, call, port: parseSdp(Buffer.from(body).toString()).media[0]?.port ?? 0 }
}
