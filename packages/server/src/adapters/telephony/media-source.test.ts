import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { RtpPhone } from '#test/phones/rtp-phone.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { Office } from '#test/phones/telephone-office.ts'
import type { Leg } from '#core/kernel/ports/telephony.ts'
import type { ReadInterfaces } from './transport/networks.ts'
import { parseSdp } from '@offhook/sip/sdp/parse-sdp.ts'

const called = '+493023125099'
/** SDP address of phones that do not know their public address. */
const elsewhere = '127.0.0.3'

const named = (phone: SipPhone): string => phone.sdp().replaceAll('127.0.0.1', elsewhere).replaceAll('127.0.0.2', elsewhere)

/** It hears itself, if we hear it. */
const echo = async (leg: Leg): Promise<void> => {
  leg.audio.echo(true)
  await leg.answer()
}

test('hears a phone that sends from another address than its SDP, and after its port has changed', async (t) => {
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

test('hears a called phone whose answer names another address', async (t) => {
  const office = await Office.open(t)
  const { phone, deviceId } = await office.phone()
  const [leg] = await office.dialDevice(deviceId)
  assert.ok(leg)
  leg.audio.echo(true)
  const { call, invite } = await phone.incoming()
  phone.talkTo(invite.sdp ?? '')
  phone.rtp.say(440)
  await call.session.accept({ sdp: named(phone) })
  await phone.rtp.hears(440)
  await leg.hangUp('normal')
})

test('hears a softphone on this machine for any of its addresses in SIP, SDP and RTP', async (t) => {
  const [loopback, card] = ['127.0.0.1', '127.0.0.9']
  const own = [loopback, card]
  const readInterfaces: ReadInterfaces = () => ({ lo: [interfaceAt(loopback)], eth0: [interfaceAt(card)] })
  const office = await Office.open(t, { telephony: { readInterfaces } })
  for (const sip of own)
    for (const rtp of own) {
      const { phone } = await office.phone({ registered: false, address: sip })
      await phone.rtp.move(rtp)
      for (const named of own) {
        const call = phone.call(called, { sdp: phone.sdp().replace(/(?<=^c=IN IP4 )\S+/m, named) })
        await echo((await office.incoming()).leg)
        await call.answered
        phone.rtp.say(440)
        await phone.rtp.hears(440)
        await call.session.end()
        phone.rtp.muteInput()
        phone.rtp.forget()
      }
    }
  assert.deepEqual(office.failures, [])
})

test('hears a carrier’s separate media gateway if the trunk lists its network', async (t) => {
  const { gateway, port, call } = await startGateway(t, ['127.0.0.16/28'])
  gateway.talk({ address: '127.0.0.1', port }, 440)
  await gateway.hears(440)
  await call.session.end()
})

test('does not hear a gateway that the trunk does not list, even if it sends first', async (t) => {
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

const interfaceAt = (address: string) => ({
  address,
  netmask: '255.0.0.0',
  cidr: `${address}/8`,
  family: 'IPv4' as const,
  mac: '00:00:00:00:00:00',
  internal: true,
})

/** A call over a trunk whose gateway is neither at its SDP address nor at its signalling address. No audio is sent yet. */
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
